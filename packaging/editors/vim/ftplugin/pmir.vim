if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1
setlocal comments=:// commentstring=//\ %s iskeyword=@,48-57,_,.,$ shiftwidth=2 expandtab
let b:undo_ftplugin = "setlocal comments< commentstring< iskeyword< shiftwidth< expandtab<"
