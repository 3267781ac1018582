; What emitted functions call for memory, and to copy past the caches. A block that a function keeps between calls has
; its size in its first 64 bytes; a function keeps eight blocks at most, for as many calls at a time.

declare noalias ptr @aligned_alloc(i64 allocalign, i64) nounwind
declare void @free(ptr nocapture) nounwind
declare i32 @madvise(ptr, i64, i32) nounwind

; Memory at a multiple of 64 bytes, to be freed; null when there is none. Large blocks are asked for in huge pages.
define internal ptr @pm.alloc(i64 %bytes) nounwind {
  %negative = icmp slt i64 %bytes, 0
  br i1 %negative, label %none, label %some
some:
  %up = add nuw i64 %bytes, 2097151
  %whole = and i64 %up, -2097152
  %is_large = icmp uge i64 %whole, 4194304
  br i1 %is_large, label %large, label %small
large:
  %pages = call noalias ptr @aligned_alloc(i64 2097152, i64 %whole)
  %found = icmp ne ptr %pages, null
  br i1 %found, label %advise, label %none
advise:
  %unused = call i32 @madvise(ptr %pages, i64 %whole, i32 14)
  ret ptr %pages
small:
  %lines = and i64 %bytes, -64
  %rounded = add nuw i64 %lines, 64
  %block = call noalias ptr @aligned_alloc(i64 64, i64 %rounded)
  ret ptr %block
none:
  ret ptr null
}

; Gives back all that is kept.
define internal void @pm.release(ptr %kept) nounwind {
  br label %next
next:
  %i = phi i64 [ 0, %0 ], [ %up, %next ]
  %slot = getelementptr ptr, ptr %kept, i64 %i
  %block = atomicrmw xchg ptr %slot, ptr null seq_cst
  call void @free(ptr %block)
  %up = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %up, 8
  br i1 %more, label %next, label %done
done:
  ret void
}

; A kept block of that many bytes, or a new one; null when there is none. Kept ones that are too small are freed.
define internal ptr @pm.take(ptr %kept, i64 %bytes) nounwind {
  br label %next
next:
  %i = phi i64 [ 0, %0 ], [ %up, %other ]
  %slot = getelementptr ptr, ptr %kept, i64 %i
  %block = atomicrmw xchg ptr %slot, ptr null seq_cst
  %is_null = icmp eq ptr %block, null
  br i1 %is_null, label %other, label %look
look:
  %size = load i64, ptr %block
  %enough = icmp sge i64 %size, %bytes
  br i1 %enough, label %take, label %drop
take:
  ret ptr %block
drop:
  call void @free(ptr %block)
  br label %other
other:
  %up = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %up, 8
  br i1 %more, label %next, label %new
new:
  %fresh = call ptr @pm.alloc(i64 %bytes)
  %none = icmp eq ptr %fresh, null
  br i1 %none, label %give, label %sign
sign:
  store i64 %bytes, ptr %fresh
  br label %give
give:
  ret ptr %fresh
}

; Keeps the block, which may be null, or frees it when eight are kept.
define internal void @pm.keep(ptr %kept, ptr %block) nounwind {
  %is_null = icmp eq ptr %block, null
  br i1 %is_null, label %done, label %next
next:
  %i = phi i64 [ 0, %0 ], [ %up, %other ]
  %slot = getelementptr ptr, ptr %kept, i64 %i
  %pair = cmpxchg ptr %slot, ptr null, ptr %block seq_cst seq_cst
  %put = extractvalue { ptr, i1 } %pair, 1
  br i1 %put, label %done, label %other
other:
  %up = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %up, 8
  br i1 %more, label %next, label %full
full:
  call void @free(ptr %block)
  br label %done
done:
  ret void
}

; bytes - 64 of them at a multiple of 64: of what the caller gave, if that is enough, or of a kept block, which goes to
; %block; null when there is no memory.
define internal ptr @pm.workspace(ptr %kept, ptr %block, ptr %given, i64 %given_bytes, i64 %bytes) nounwind {
  %own = icmp eq ptr %given, null
  br i1 %own, label %take, label %use
use:
  %small = icmp slt i64 %given_bytes, %bytes
  %number = ptrtoint ptr %given to i64
  %minus = sub i64 0, %number
  %rest = and i64 %minus, 63
  %first = getelementptr i8, ptr %given, i64 %rest
  %there = select i1 %small, ptr null, ptr %first
  ret ptr %there
take:
  %taken = call ptr @pm.take(ptr %kept, i64 %bytes)
  store ptr %taken, ptr %block
  %none = icmp eq ptr %taken, null
  br i1 %none, label %fail, label %give
give:
  %behind = getelementptr i8, ptr %taken, i64 64
  ret ptr %behind
fail:
  ret ptr null
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg)

; Copies to memory that nothing will find in a cache: whole lines past the caches; of those at the ends others may have
; the rest.
define internal void @pm.stream(ptr noalias %to, ptr noalias %from, i64 %bytes) nounwind {
  %place = ptrtoint ptr %to to i64
  %back = sub i64 0, %place
  %ahead = and i64 %back, 63
  %head = call i64 @llvm.umin.i64(i64 %ahead, i64 %bytes)
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %head, i1 false)
  %left = sub nuw i64 %bytes, %head
  %size = and i64 %left, -64
  %end = add nuw i64 %head, %size
  %any = icmp ult i64 %head, %end
  br i1 %any, label %line, label %rest
line:
  %i = phi i64 [ %head, %0 ], [ %up, %line ]
  %source = getelementptr i8, ptr %from, i64 %i
  %target = getelementptr i8, ptr %to, i64 %i
  %cells = load <16 x i32>, ptr %source, align 1
  store <16 x i32> %cells, ptr %target, align 64, !nontemporal !0
  %up = add nuw i64 %i, 64
  %more = icmp ult i64 %up, %end
  br i1 %more, label %line, label %rest
rest:
  %last = getelementptr i8, ptr %to, i64 %end
  %last.from = getelementptr i8, ptr %from, i64 %end
  %tail = sub nuw i64 %bytes, %end
  call void @llvm.memcpy.p0.p0.i64(ptr %last, ptr %last.from, i64 %tail, i1 false)
  ret void
}

declare i64 @llvm.umin.i64(i64, i64)

!0 = !{i32 1}
