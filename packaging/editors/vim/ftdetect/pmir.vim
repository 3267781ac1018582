autocmd BufNewFile,BufRead *.pmir setfiletype pmir
