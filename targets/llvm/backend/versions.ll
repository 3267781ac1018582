; Which level of x86-64 the processor has, and the system lets programs use: 1 to 4, of the psABI. An object of several
; versions chooses by it.

@pm.level.kept = internal global i32 0

; cpuid, of a leaf and its part 0.
define internal { i32, i32, i32, i32 } @pm.cpuid(i32 %leaf) nounwind {
  %r = call { i32, i32, i32, i32 } asm "cpuid", "={ax},={bx},={cx},={dx},0,2"(i32 %leaf, i32 0)
  ret { i32, i32, i32, i32 } %r
}

; All bits of the mask are set.
define internal i1 @pm.has(i32 %bits, i32 %mask) nounwind {
  %and = and i32 %bits, %mask
  %all = icmp eq i32 %and, %mask
  ret i1 %all
}

; Registers that the system saves, by XCR0: only where OSXSAVE is told.
define internal i32 @pm.saved() nounwind {
  %r = call { i32, i32 } asm sideeffect "xgetbv", "={ax},={dx},{cx}"(i32 0)
  %low = extractvalue { i32, i32 } %r, 0
  ret i32 %low
}

define internal i32 @pm.ask.level() nounwind {
  %most = call { i32, i32, i32, i32 } @pm.cpuid(i32 0)
  %last = extractvalue { i32, i32, i32, i32 } %most, 0
  %has7 = icmp uge i32 %last, 7
  br i1 %has7, label %first, label %is1
first:
  %one = call { i32, i32, i32, i32 } @pm.cpuid(i32 1)
  %one.c = extractvalue { i32, i32, i32, i32 } %one, 2
  %more = call { i32, i32, i32, i32 } @pm.cpuid(i32 -2147483647)
  %more.c = extractvalue { i32, i32, i32, i32 } %more, 2
  %v2.a = call i1 @pm.has(i32 %one.c, i32 9970177) ; SSE3 SSSE3 CX16 SSE4.1 SSE4.2 POPCNT
  %v2.b = call i1 @pm.has(i32 %more.c, i32 1)      ; LAHF
  %v2 = and i1 %v2.a, %v2.b
  br i1 %v2, label %second, label %is1
second:
  %v3.a = call i1 @pm.has(i32 %one.c, i32 943722496) ; FMA MOVBE OSXSAVE AVX F16C
  br i1 %v3.a, label %third, label %is2
third:
  %seven = call { i32, i32, i32, i32 } @pm.cpuid(i32 7)
  %seven.b = extractvalue { i32, i32, i32, i32 } %seven, 1
  %saved = call i32 @pm.saved()
  %v3.b = call i1 @pm.has(i32 %seven.b, i32 296) ; BMI1 AVX2 BMI2
  %v3.c = call i1 @pm.has(i32 %more.c, i32 32)   ; LZCNT
  %v3.d = call i1 @pm.has(i32 %saved, i32 6)     ; XMM YMM
  %v3.e = and i1 %v3.b, %v3.c
  %v3 = and i1 %v3.d, %v3.e
  br i1 %v3, label %fourth, label %is2
fourth:
  %v4.a = call i1 @pm.has(i32 %seven.b, i32 -805109760) ; AVX512 F DQ CD BW VL
  %v4.b = call i1 @pm.has(i32 %saved, i32 230)          ; masks ZMM
  %v4 = and i1 %v4.a, %v4.b
  %high = select i1 %v4, i32 4, i32 3
  ret i32 %high
is2:
  ret i32 2
is1:
  ret i32 1
}

define internal i32 @pm.level() nounwind noinline {
  %kept = load atomic i32, ptr @pm.level.kept monotonic, align 4
  %known = icmp ne i32 %kept, 0
  br i1 %known, label %give, label %ask
ask:
  %found = call i32 @pm.ask.level()
  store atomic i32 %found, ptr @pm.level.kept monotonic, align 4
  br label %give
give:
  %level = phi i32 [ %kept, %0 ], [ %found, %ask ]
  ret i32 %level
}
