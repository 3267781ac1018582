# A loop of two blocks inside another one. A trip stores 64 floats by line 2 and spills twice; the frame's register is %rbp.
  .file 1 "loop.pmir"
  .text
f:
  push %rbp
  mov %rsp, %rbp
.Louter:
  xor %eax, %eax
  .loc 1 1
.Linner:
  vmovups (%rdi,%rax,4), %zmm0
  vaddps -64(%rbp), %zmm0, %zmm0
  vpermt2ps %zmm1, %zmm2, %zmm0
  vcvtdq2ps %zmm0, %zmm3
  vgatherdps (%rdi,%zmm3,4), %zmm4{%k1}
  test %rcx, (%rdi)
  je .Lskip
  vbroadcastss (%rsi), %zmm5
.Lskip:
  vmovups %zmm3, -64(%rsp)
  .loc 1 2
  vmovups %zmm0, (%rdx,%rax,4)
  vmovups %zmm0, 64(%rdx,%rax,4)
  vmovups %zmm0, 128(%rdx,%rax,4){%k1}
  vmovups %zmm0, (%rbp,%rax,4)
  .loc 1 1
  prefetcht0 (%rdi)
  add $64, %rax
  cmp %rcx, %rax
  jne .Linner
  dec %rsi
  jne .Louter
  pop %rbp
  ret
