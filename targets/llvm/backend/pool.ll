; Made of targets/lib/pool.c by tools/refresh-runtime: the threads of parallel loops.

%struct.anon = type { %union.pm_mutex, %union.pm_condition, %union.pm_condition, i64, [56 x i8], ptr, [4096 x i64], i64, i64, i64, i32, i64, i64, i64, ptr, [56 x i8] }
%union.pm_mutex = type { %union.pthread_mutex_t, [24 x i8] }
%union.pthread_mutex_t = type { %struct.__pthread_mutex_s }
%struct.__pthread_mutex_s = type { i32, i32, i32, i32, i32, i16, i16, %struct.__pthread_internal_list }
%struct.__pthread_internal_list = type { ptr, ptr }
%union.pm_condition = type { %union.pthread_cond_t, [16 x i8] }
%union.pthread_cond_t = type { %struct.__pthread_cond_s }
%struct.__pthread_cond_s = type { %union.__atomic_wide_counter, %union.__atomic_wide_counter, [2 x i32], [2 x i32], i32, i32, [2 x i32] }
%union.__atomic_wide_counter = type { i64 }
%struct.pm_caller = type { i64, i64, ptr, ptr, ptr, ptr, i64 }
%struct.pm_loop = type { ptr, ptr, i64, i64, i32, i32, ptr, ptr, i64, ptr, i64, [48 x i8], i64, [56 x i8] }
%struct.pm_loop_event = type { ptr, i64, i64, i64, i64, i64, i64, i32 }
%struct.pm_told = type { %struct.pm_loop, ptr, %struct.pm_loop_event, [56 x i8] }
%struct.__sigset_t = type { [16 x i64] }
%struct.timespec = type { i64, i64 }

@pm_pool = internal global %struct.anon zeroinitializer, align 64
@.str = private unnamed_addr constant [16 x i8] c"OMP_NUM_THREADS\00", align 1

define weak void @pm_set_threads(i32 noundef %n) local_unnamed_addr #0 {
entry:
  %cmp = icmp sgt i32 %n, 0
  br i1 %cmp, label %if.then, label %if.end

if.then:
  %conv = sext i32 %n to i64
  store atomic i64 %conv, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 12) seq_cst, align 16
  br label %if.end

if.end:
  ret void
}

define weak void @pm_begin_call(ptr noundef %room, i32 noundef %threads, ptr noundef %tell, ptr noundef %user) local_unnamed_addr #0 {
entry:
  %0 = bitcast ptr %room to ptr
  %conv = sext i32 %threads to i64
  %.compoundliteral.sroa.0.0..sroa_idx = bitcast ptr %room to ptr
  store i64 0, ptr %.compoundliteral.sroa.0.0..sroa_idx, align 8
  %.compoundliteral.sroa.2.0..sroa_idx4 = getelementptr inbounds i8, ptr %room, i64 8
  %1 = bitcast ptr %.compoundliteral.sroa.2.0..sroa_idx4 to ptr
  store i64 %conv, ptr %1, align 8
  %.compoundliteral.sroa.3.0..sroa_idx5 = getelementptr inbounds i8, ptr %room, i64 16
  %2 = bitcast ptr %.compoundliteral.sroa.3.0..sroa_idx5 to ptr
  store ptr %tell, ptr %2, align 8
  %.compoundliteral.sroa.4.0..sroa_idx6 = getelementptr inbounds i8, ptr %room, i64 24
  %3 = bitcast ptr %.compoundliteral.sroa.4.0..sroa_idx6 to ptr
  store ptr %user, ptr %3, align 8
  %.compoundliteral.sroa.5.0..sroa_idx7 = getelementptr inbounds i8, ptr %room, i64 32
  %4 = bitcast ptr %.compoundliteral.sroa.5.0..sroa_idx7 to ptr
  store ptr %room, ptr %4, align 8
  %.compoundliteral.sroa.6.0..sroa_idx8 = getelementptr inbounds i8, ptr %room, i64 40
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %.compoundliteral.sroa.6.0..sroa_idx8, i8 0, i64 16, i1 false)
  call fastcc void @pm_own()
  call fastcc void @pm_lock()
  call fastcc void @pm_list_caller(ptr noundef %0)
  call fastcc void @pm_unlock()
  ret void
}

define internal fastcc void @pm_own() unnamed_addr #0 {
entry:
  %call = call i32 @getpid() #13
  %conv = sext i32 %call to i64
  %0 = load atomic i64, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 11) seq_cst, align 8
  %cmp.not19 = icmp eq i64 %0, %conv
  br i1 %cmp.not19, label %while.end, label %while.body.lr.ph

while.body.lr.ph:
  %sub = sub nsw i64 0, %conv
  br label %while.body

while.body:
  %other.020 = phi i64 [ %0, %while.body.lr.ph ], [ %3, %if.end ]
  %cmp2.not = icmp eq i64 %other.020, %sub
  br i1 %cmp2.not, label %if.end, label %land.lhs.true

land.lhs.true:
  %1 = cmpxchg ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 11), i64 %other.020, i64 %sub seq_cst seq_cst, align 8
  %2 = extractvalue { i64, i1 } %1, 1
  br i1 %2, label %if.then, label %if.end

if.then:
  %call6 = call i32 @pthread_mutex_init(ptr noundef @pm_pool, ptr noundef null) #13
  %call7 = call i32 @pthread_cond_init(ptr noundef getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 1, i32 0), ptr noundef null) #13
  %call8 = call i32 @pthread_cond_init(ptr noundef getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 2, i32 0), ptr noundef null) #13
  store ptr null, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 5), align 64
  store ptr null, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 14), align 64
  store atomic i64 0, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 13) seq_cst, align 8
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(28) getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 7), i8 0, i64 28, i1 false)
  store atomic i64 %conv, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 11) seq_cst, align 8
  br label %if.end

if.end:
  %3 = load atomic i64, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 11) seq_cst, align 8
  %cmp.not = icmp eq i64 %3, %conv
  br i1 %cmp.not, label %while.end, label %while.body

while.end:
  ret void
}

define internal fastcc void @pm_lock() unnamed_addr #0 {
entry:
  %call10 = call i32 @pthread_mutex_trylock(ptr noundef @pm_pool) #13
  %cmp111 = icmp eq i32 %call10, 0
  br i1 %cmp111, label %return, label %for.cond

for.cond:
  %i.0612 = phi i32 [ %inc, %for.body ], [ 0, %entry ]
  %inc = add nuw nsw i32 %i.0612, 1
  %exitcond.not = icmp eq i32 %inc, 100
  br i1 %exitcond.not, label %for.end, label %for.body

for.body:
  %call = call i32 @pthread_mutex_trylock(ptr noundef @pm_pool) #13
  %cmp1 = icmp eq i32 %call, 0
  br i1 %cmp1, label %for.body.cleanup_crit_edge, label %for.cond

for.body.cleanup_crit_edge:
  %cmp = icmp ult i32 %i.0612, 99
  br i1 %cmp, label %return, label %for.end

for.end:
  %call2 = call i32 @pthread_mutex_lock(ptr noundef @pm_pool) #13
  br label %return

return:
  ret void
}

define internal fastcc void @pm_list_caller(ptr noundef %caller) unnamed_addr #1 {
entry:
  %call = call i64 @pthread_self() #14
  %thread = getelementptr inbounds %struct.pm_caller, ptr %caller, i64 0, i32 0
  store i64 %call, ptr %thread, align 8
  %0 = load ptr, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 14), align 64
  %next = getelementptr inbounds %struct.pm_caller, ptr %caller, i64 0, i32 5
  store ptr %0, ptr %next, align 8
  store ptr %caller, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 14), align 64
  %1 = atomicrmw add ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 13), i64 1 seq_cst, align 8
  ret void
}

define internal fastcc void @pm_unlock() unnamed_addr #0 {
entry:
  %call = call i32 @pthread_mutex_unlock(ptr noundef @pm_pool) #13
  ret void
}

define weak void @pm_end_call(ptr noundef %room) local_unnamed_addr #0 {
entry:
  call fastcc void @pm_own()
  call fastcc void @pm_lock()
  %0 = bitcast ptr %room to ptr
  call fastcc void @pm_unlist_caller(ptr noundef %0)
  call fastcc void @pm_unlock()
  ret void
}

define internal fastcc void @pm_unlist_caller(ptr noundef readonly %caller) unnamed_addr #2 {
entry:
  %0 = load ptr, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 14), align 64
  %cmp.not9 = icmp eq ptr %0, null
  br i1 %cmp.not9, label %cleanup, label %for.body.preheader

for.body.preheader:
  %cmp113 = icmp eq ptr %0, %caller
  br i1 %cmp113, label %if.then, label %for.cond

for.cond:
  %.pn = phi ptr [ %1, %for.body ], [ %0, %for.body.preheader ]
  %next215 = getelementptr inbounds %struct.pm_caller, ptr %.pn, i64 0, i32 5
  %1 = load ptr, ptr %next215, align 8
  %cmp.not = icmp eq ptr %1, null
  br i1 %cmp.not, label %cleanup, label %for.body

for.body:
  %cmp1 = icmp eq ptr %1, %caller
  br i1 %cmp1, label %if.then.loopexit, label %for.cond

if.then.loopexit:
  %next215.le = getelementptr inbounds %struct.pm_caller, ptr %.pn, i64 0, i32 5
  br label %if.then

if.then:
  %at.010.lcssa = phi ptr [ getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 14), %for.body.preheader ], [ %next215.le, %if.then.loopexit ]
  %next = getelementptr inbounds %struct.pm_caller, ptr %caller, i64 0, i32 5
  %2 = load ptr, ptr %next, align 8
  store ptr %2, ptr %at.010.lcssa, align 8
  %3 = atomicrmw sub ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 13), i64 1 seq_cst, align 8
  br label %cleanup

cleanup:
  ret void
}

define weak i32 @pm_get_threads() local_unnamed_addr #0 {
entry:
  %call = call fastcc i64 @pm_all_threads()
  %call1 = call fastcc i32 @pm_has_callers()
  %tobool.not = icmp eq i32 %call1, 0
  br i1 %tobool.not, label %cond.end, label %cond.true

cond.true:
  %call2 = call fastcc ptr @pm_find_caller()
  br label %cond.end

cond.end:
  %cond = phi ptr [ %call2, %cond.true ], [ null, %entry ]
  %cmp.not = icmp eq ptr %cond, null
  br i1 %cmp.not, label %cond.false9, label %land.lhs.true

land.lhs.true:
  %threads = getelementptr inbounds %struct.pm_caller, ptr %cond, i64 0, i32 1
  %0 = load i64, ptr %threads, align 8
  %cmp3 = icmp sgt i64 %0, 0
  %cmp6 = icmp slt i64 %0, %call
  %or.cond = select i1 %cmp3, i1 %cmp6, i1 false
  br i1 %or.cond, label %cond.end10, label %cond.false9

cond.false9:
  br label %cond.end10

cond.end10:
  %cond11 = phi i64 [ %call, %cond.false9 ], [ %0, %land.lhs.true ]
  %conv = trunc i64 %cond11 to i32
  ret i32 %conv
}

define internal fastcc i64 @pm_all_threads() unnamed_addr #0 {
entry:
  %0 = load atomic i64, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 12) monotonic, align 16
  %cmp = icmp sgt i64 %0, 0
  br i1 %cmp, label %cleanup, label %if.end

if.end:
  %call = call ptr @getenv(ptr noundef @.str) #13
  %cmp1.not = icmp eq ptr %call, null
  br i1 %cmp1.not, label %cond.end, label %cond.true

cond.true:
  %call2 = call i64 @strtol(ptr nocapture noundef nonnull %call, ptr noundef null, i32 noundef 10) #13
  br label %cond.end

cond.end:
  %cond = phi i64 [ %call2, %cond.true ], [ 0, %if.end ]
  %1 = add i64 %cond, -4097
  %2 = icmp ult i64 %1, -4096
  br i1 %2, label %if.then5, label %if.end7

if.then5:
  %call6 = call fastcc i64 @pm_processors()
  br label %if.end7

if.end7:
  %n.0 = phi i64 [ %call6, %if.then5 ], [ %cond, %cond.end ]
  %3 = icmp sgt i64 %n.0, 1
  %spec.store.select = select i1 %3, i64 %n.0, i64 1
  %4 = cmpxchg ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 12), i64 0, i64 %spec.store.select seq_cst seq_cst, align 8
  %5 = extractvalue { i64, i1 } %4, 1
  %6 = extractvalue { i64, i1 } %4, 0
  %spec.select = select i1 %5, i64 %spec.store.select, i64 %6
  br label %cleanup

cleanup:
  %retval.0 = phi i64 [ %spec.select, %if.end7 ], [ %0, %entry ]
  ret i64 %retval.0
}

define internal fastcc i32 @pm_has_callers() unnamed_addr #3 {
entry:
  %0 = load atomic i64, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 13) monotonic, align 8
  %cmp = icmp ne i64 %0, 0
  %conv = zext i1 %cmp to i32
  ret i32 %conv
}

define internal fastcc ptr @pm_find_caller() unnamed_addr #0 {
entry:
  call fastcc void @pm_own()
  call fastcc void @pm_lock()
  %caller.06 = load ptr, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 14), align 64
  %cmp.not7 = icmp eq ptr %caller.06, null
  br i1 %cmp.not7, label %while.end, label %land.rhs.lr.ph

land.rhs.lr.ph:
  %call = call i64 @pthread_self() #14
  br label %land.rhs

land.rhs:
  %caller.08 = phi ptr [ %caller.06, %land.rhs.lr.ph ], [ %caller.0, %while.body ]
  %thread = getelementptr inbounds %struct.pm_caller, ptr %caller.08, i64 0, i32 0
  %0 = load i64, ptr %thread, align 8
  %call1 = call i32 @pthread_equal(i64 noundef %0, i64 noundef %call) #14
  %tobool.not = icmp eq i32 %call1, 0
  br i1 %tobool.not, label %while.body, label %while.end

while.body:
  %next = getelementptr inbounds %struct.pm_caller, ptr %caller.08, i64 0, i32 5
  %caller.0 = load ptr, ptr %next, align 8
  %cmp.not = icmp eq ptr %caller.0, null
  br i1 %cmp.not, label %while.end, label %land.rhs

while.end:
  %caller.0.lcssa = phi ptr [ %caller.06, %entry ], [ %caller.08, %land.rhs ], [ %caller.0, %while.body ]
  call fastcc void @pm_unlock()
  ret ptr %caller.0.lcssa
}

define weak void @pm_end_threads() #0 {
entry:
  %0 = load atomic i64, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 11) seq_cst, align 8
  %call = call i32 @getpid() #13
  %conv = sext i32 %call to i64
  %cmp.not = icmp eq i64 %0, %conv
  br i1 %cmp.not, label %if.end, label %cleanup.cont

if.end:
  call fastcc void @pm_lock()
  %1 = load i32, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 10), align 32
  %tobool.not = icmp eq i32 %1, 0
  store i32 1, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 10), align 32
  %call2 = call i32 @pthread_cond_broadcast(ptr noundef getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 1, i32 0)) #13
  call fastcc void @pm_unlock()
  br i1 %tobool.not, label %for.cond.preheader, label %cleanup.cont

for.cond.preheader:
  %2 = load i64, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 7), align 8
  %cmp613 = icmp sgt i64 %2, 0
  br i1 %cmp613, label %for.body, label %for.cond.cleanup

for.cond.cleanup:
  call fastcc void @pm_lock()
  store i32 0, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 10), align 32
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 7), i8 0, i64 16, i1 false)
  call fastcc void @pm_unlock()
  br label %cleanup.cont

for.body:
  %i.014 = phi i64 [ %inc, %for.body ], [ 0, %for.cond.preheader ]
  %arrayidx = getelementptr inbounds %struct.anon, ptr @pm_pool, i64 0, i32 6, i64 %i.014
  %3 = load i64, ptr %arrayidx, align 8
  %call8 = call i32 @pthread_join(i64 noundef %3, ptr noundef null) #13
  %inc = add nuw nsw i64 %i.014, 1
  %4 = load i64, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 7), align 8
  %cmp6 = icmp slt i64 %inc, %4
  br i1 %cmp6, label %for.body, label %for.cond.cleanup

cleanup.cont:
  ret void
}

declare i32 @getpid() local_unnamed_addr #4

declare i32 @pthread_cond_broadcast(ptr noundef) local_unnamed_addr #4

declare i32 @pthread_join(i64 noundef, ptr noundef) local_unnamed_addr #5

define weak void @pm_parallel(ptr noundef %body, ptr noundef %given, i64 noundef %iterations, i32 noundef %dynamic, ptr noundef %stages) local_unnamed_addr #0 {
entry:
  %loop = alloca %struct.pm_loop, align 64
  %call = call fastcc i64 @pm_all_threads()
  %call1 = call fastcc i32 @pm_has_callers()
  %tobool.not = icmp eq i32 %call1, 0
  br i1 %tobool.not, label %cond.end, label %cond.true

cond.true:
  %call2 = call fastcc ptr @pm_find_caller()
  br label %cond.end

cond.end:
  %cond = phi ptr [ %call2, %cond.true ], [ null, %entry ]
  %0 = bitcast ptr %loop to ptr
  call void @llvm.lifetime.start.p0(i64 192, ptr nonnull %0) #13
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 64 dereferenceable(192) %0, i8 0, i64 192, i1 false)
  %body3 = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 0
  store ptr %body, ptr %body3, align 64
  %given4 = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 1
  store ptr %given, ptr %given4, align 8
  %iterations5 = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 2
  store i64 %iterations, ptr %iterations5, align 16
  %threads = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 3
  %cmp = icmp sgt i64 %call, %iterations
  %cond9 = select i1 %cmp, i64 %iterations, i64 %call
  store i64 %cond9, ptr %threads, align 8
  %dynamic10 = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 4
  store i32 %dynamic, ptr %dynamic10, align 32
  %joined = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 8
  store i64 1, ptr %joined, align 8
  %cmp12 = icmp eq ptr %cond, null
  br i1 %cmp12, label %if.then, label %if.else

if.then:
  call fastcc void @pm_run_loop(ptr noundef nonnull %loop)
  br label %if.end

if.else:
  call fastcc void @pm_run_known(ptr noundef nonnull %loop, ptr noundef nonnull %cond, ptr noundef %stages)
  br label %if.end

if.end:
  call void @llvm.lifetime.end.p0(i64 192, ptr nonnull %0) #13
  ret void
}

define internal fastcc void @pm_run_loop(ptr noundef %loop) unnamed_addr #0 {
entry:
  %threads = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 3
  %0 = load i64, ptr %threads, align 8
  %cmp = icmp sgt i64 %0, 1
  br i1 %cmp, label %if.then, label %if.end

if.then:
  call fastcc void @pm_begin(ptr noundef %loop)
  br label %if.end

if.end:
  call fastcc void @pm_run_body(ptr noundef %loop, i64 noundef 0)
  %1 = load i64, ptr %threads, align 8
  %cmp2 = icmp sgt i64 %1, 1
  br i1 %cmp2, label %if.then3, label %if.end4

if.then3:
  call fastcc void @pm_finish(ptr noundef %loop)
  br label %if.end4

if.end4:
  ret void
}

define internal fastcc void @pm_run_known(ptr noundef %loop, ptr noundef %caller, ptr noundef %stages) unnamed_addr #0 {
entry:
  %event = alloca %struct.pm_loop_event, align 8
  %0 = bitcast ptr %event to ptr
  call void @llvm.lifetime.start.p0(i64 64, ptr nonnull %0) #13
  %stages1 = getelementptr inbounds %struct.pm_loop_event, ptr %event, i64 0, i32 0
  store ptr %stages, ptr %stages1, align 8
  %loop2 = getelementptr inbounds %struct.pm_loop_event, ptr %event, i64 0, i32 1
  store i64 0, ptr %loop2, align 8
  %iterations = getelementptr inbounds %struct.pm_loop_event, ptr %event, i64 0, i32 2
  %iterations3 = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 2
  %1 = load i64, ptr %iterations3, align 16
  store i64 %1, ptr %iterations, align 8
  %first = getelementptr inbounds %struct.pm_loop_event, ptr %event, i64 0, i32 3
  %end = getelementptr inbounds %struct.pm_loop_event, ptr %event, i64 0, i32 4
  %begun_at = getelementptr inbounds %struct.pm_loop_event, ptr %event, i64 0, i32 5
  %2 = bitcast ptr %first to ptr
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %2, i8 0, i64 16, i1 false)
  %call = call fastcc i64 @pm_now()
  store i64 %call, ptr %begun_at, align 8
  %done_at = getelementptr inbounds %struct.pm_loop_event, ptr %event, i64 0, i32 6
  store i64 0, ptr %done_at, align 8
  %whole = getelementptr inbounds %struct.pm_loop_event, ptr %event, i64 0, i32 7
  store i32 0, ptr %whole, align 8
  %threads = getelementptr inbounds %struct.pm_caller, ptr %caller, i64 0, i32 1
  %3 = load i64, ptr %threads, align 8
  %cmp = icmp sgt i64 %3, 0
  br i1 %cmp, label %land.lhs.true, label %if.end

land.lhs.true:
  %threads5 = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 3
  %4 = load i64, ptr %threads5, align 8
  %cmp6 = icmp slt i64 %3, %4
  br i1 %cmp6, label %if.then, label %if.end

if.then:
  store i64 %3, ptr %threads5, align 8
  br label %if.end

if.end:
  %caller9 = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 6
  store ptr %caller, ptr %caller9, align 8
  %tell = getelementptr inbounds %struct.pm_caller, ptr %caller, i64 0, i32 2
  %5 = load ptr, ptr %tell, align 8
  %cmp10.not = icmp eq ptr %5, null
  br i1 %cmp10.not, label %if.end15, label %if.then11

if.then11:
  %call12 = call fastcc i64 @pm_next_loop(ptr noundef %caller)
  store i64 %call12, ptr %loop2, align 8
  %event14 = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 7
  store ptr %event, ptr %event14, align 16
  br label %if.end15

if.end15:
  call fastcc void @pm_run_loop(ptr noundef %loop)
  %event16 = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 7
  %6 = load ptr, ptr %event16, align 16
  %cmp17 = icmp eq ptr %6, null
  br i1 %cmp17, label %cleanup, label %if.end19

if.end19:
  %7 = load i64, ptr %iterations3, align 16
  store i64 %7, ptr %end, align 8
  store i32 1, ptr %whole, align 8
  %call23 = call fastcc i64 @pm_now()
  store i64 %call23, ptr %done_at, align 8
  %8 = load ptr, ptr %tell, align 8
  %user = getelementptr inbounds %struct.pm_caller, ptr %caller, i64 0, i32 3
  %9 = load ptr, ptr %user, align 8
  call void %8(ptr noundef %9, ptr noundef nonnull %event) #13
  br label %cleanup

cleanup:
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %0) #13
  ret void
}

define weak zeroext i1 @pm_next(ptr noundef %loop, ptr noundef %range) local_unnamed_addr #0 {
entry:
  %call = call fastcc i32 @pm_take_part(ptr noundef %loop, ptr noundef %range)
  %tobool.not = icmp eq i32 %call, 0
  br i1 %tobool.not, label %if.end, label %return

if.end:
  %is_told = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 5
  %0 = load i32, ptr %is_told, align 4
  %tobool1.not = icmp eq i32 %0, 0
  br i1 %tobool1.not, label %return, label %land.rhs

land.rhs:
  %1 = bitcast ptr %loop to ptr
  %call2 = call fastcc i32 @pm_take_told_part(ptr noundef %1, ptr noundef %range)
  %tobool3 = icmp ne i32 %call2, 0
  br label %return

return:
  %retval.0 = phi i1 [ true, %entry ], [ false, %if.end ], [ %tobool3, %land.rhs ]
  ret i1 %retval.0
}

define internal fastcc i32 @pm_take_part(ptr nocapture noundef %loop, ptr nocapture noundef writeonly %range) unnamed_addr #2 {
entry:
  %at1 = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 12
  %0 = load atomic i64, ptr %at1 monotonic, align 64
  %iterations = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 2
  %1 = load i64, ptr %iterations, align 16
  %dynamic = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 4
  %threads = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 3
  br label %do.body

do.body:
  %at.0 = phi i64 [ %0, %entry ], [ %7, %cond.end ]
  %cmp.not = icmp sgt i64 %1, %at.0
  br i1 %cmp.not, label %if.end, label %cleanup

if.end:
  %2 = load i32, ptr %dynamic, align 32
  %tobool.not = icmp eq i32 %2, 0
  br i1 %tobool.not, label %cond.false, label %cond.end

cond.false:
  %3 = xor i64 %at.0, -1
  %sub3 = add i64 %1, %3
  %4 = load i64, ptr %threads, align 8
  %mul = shl nsw i64 %4, 1
  %div = sdiv i64 %sub3, %mul
  %add = add nsw i64 %div, 1
  br label %cond.end

cond.end:
  %cond = phi i64 [ %add, %cond.false ], [ 1, %if.end ]
  %add5 = add nsw i64 %cond, %at.0
  %5 = cmpxchg weak ptr %at1, i64 %at.0, i64 %add5 monotonic monotonic, align 8
  %6 = extractvalue { i64, i1 } %5, 1
  %7 = extractvalue { i64, i1 } %5, 0
  br i1 %6, label %do.end, label %do.body

do.end:
  %8 = extractvalue { i64, i1 } %5, 0
  store i64 %8, ptr %range, align 8
  %add7 = add nsw i64 %8, %cond
  %arrayidx8 = getelementptr inbounds i64, ptr %range, i64 1
  store i64 %add7, ptr %arrayidx8, align 8
  br label %cleanup

cleanup:
  %retval.0 = phi i32 [ 1, %do.end ], [ 0, %do.body ]
  ret i32 %retval.0
}

define internal fastcc i32 @pm_take_told_part(ptr noundef %told, ptr nocapture noundef %range) unnamed_addr #0 {
entry:
  call fastcc void @pm_end_part(ptr noundef %told)
  %loop = getelementptr inbounds %struct.pm_told, ptr %told, i64 0, i32 1
  %0 = load ptr, ptr %loop, align 64
  %call = call fastcc i32 @pm_take_part(ptr noundef %0, ptr noundef %range)
  %tobool.not = icmp eq i32 %call, 0
  br i1 %tobool.not, label %return, label %if.end

if.end:
  %1 = load i64, ptr %range, align 8
  %first = getelementptr inbounds %struct.pm_told, ptr %told, i64 0, i32 2, i32 3
  store i64 %1, ptr %first, align 8
  %arrayidx1 = getelementptr inbounds i64, ptr %range, i64 1
  %2 = load i64, ptr %arrayidx1, align 8
  %end = getelementptr inbounds %struct.pm_told, ptr %told, i64 0, i32 2, i32 4
  store i64 %2, ptr %end, align 8
  %call3 = call fastcc i64 @pm_now()
  %begun_at = getelementptr inbounds %struct.pm_told, ptr %told, i64 0, i32 2, i32 5
  store i64 %call3, ptr %begun_at, align 8
  br label %return

return:
  %retval.0 = phi i32 [ 1, %if.end ], [ 0, %entry ]
  ret i32 %retval.0
}

declare i32 @pthread_mutex_init(ptr noundef, ptr noundef) local_unnamed_addr #4

declare i32 @pthread_cond_init(ptr noundef, ptr noundef) local_unnamed_addr #4

declare i32 @pthread_mutex_trylock(ptr noundef) local_unnamed_addr #4

declare i32 @pthread_mutex_lock(ptr noundef) local_unnamed_addr #4

declare i64 @pthread_self() local_unnamed_addr #6

declare i32 @pthread_mutex_unlock(ptr noundef) local_unnamed_addr #4

declare noundef ptr @getenv(ptr nocapture noundef) local_unnamed_addr #7

declare i64 @strtol(ptr noundef readonly, ptr nocapture noundef, i32 noundef) local_unnamed_addr #8

define internal fastcc i64 @pm_processors() unnamed_addr #0 {
entry:
  %set = alloca [128 x i64], align 16
  %0 = bitcast ptr %set to ptr
  call void @llvm.lifetime.start.p0(i64 1024, ptr nonnull %0) #13
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(1024) %0, i8 0, i64 1024, i1 false)
  %call = call i32 @sched_getaffinity(i32 noundef 0, i64 noundef 1024, ptr noundef nonnull %0) #13
  %cmp.not = icmp eq i32 %call, 0
  br i1 %cmp.not, label %for.cond3.preheader, label %if.then

if.then:
  %call1 = call i64 @sysconf(i32 noundef 84) #13
  br label %cleanup

for.cond3.preheader:
  %indvars.iv = phi i64 [ %indvars.iv.next, %for.inc10 ], [ 0, %entry ]
  %n.026 = phi i64 [ %n.1.lcssa, %for.inc10 ], [ 0, %entry ]
  %arrayidx = getelementptr inbounds [128 x i64], ptr %set, i64 0, i64 %indvars.iv
  %arrayidx.promoted = load i64, ptr %arrayidx, align 8
  %cmp4.not22 = icmp eq i64 %arrayidx.promoted, 0
  br i1 %cmp4.not22, label %for.inc10, label %for.body5

for.body5:
  %n.124 = phi i64 [ %inc, %for.body5 ], [ %n.026, %for.cond3.preheader ]
  %and2123 = phi i64 [ %and, %for.body5 ], [ %arrayidx.promoted, %for.cond3.preheader ]
  %inc = add nsw i64 %n.124, 1
  %sub = add i64 %and2123, -1
  %and = and i64 %sub, %and2123
  %cmp4.not = icmp eq i64 %and, 0
  br i1 %cmp4.not, label %for.cond3.for.inc10_crit_edge, label %for.body5

for.cond3.for.inc10_crit_edge:
  store i64 %and, ptr %arrayidx, align 8
  br label %for.inc10

for.inc10:
  %n.1.lcssa = phi i64 [ %inc, %for.cond3.for.inc10_crit_edge ], [ %n.026, %for.cond3.preheader ]
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, 128
  br i1 %exitcond.not, label %cleanup, label %for.cond3.preheader

cleanup:
  %retval.0 = phi i64 [ %call1, %if.then ], [ %n.1.lcssa, %for.inc10 ]
  call void @llvm.lifetime.end.p0(i64 1024, ptr nonnull %0) #13
  ret i64 %retval.0
}

declare i32 @sched_getaffinity(i32 noundef, i64 noundef, ptr noundef) local_unnamed_addr #5

declare i64 @sysconf(i32 noundef) local_unnamed_addr #4

declare i32 @pthread_equal(i64 noundef, i64 noundef) local_unnamed_addr #6

define internal fastcc void @pm_begin(ptr noundef %loop) unnamed_addr #0 {
entry:
  call fastcc void @pm_own()
  call fastcc void @pm_lock()
  %threads = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 3
  %0 = load i64, ptr %threads, align 8
  %sub = add nsw i64 %0, -1
  call fastcc void @pm_add_workers(i64 noundef %sub)
  %1 = load ptr, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 5), align 64
  %next = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 9
  store ptr %1, ptr %next, align 64
  store ptr %loop, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 5), align 64
  %2 = load i64, ptr %threads, align 8
  %3 = load i64, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 7), align 8
  %cmp = icmp sgt i64 %2, %3
  call fastcc void @pm_unlock()
  %4 = atomicrmw add ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 3), i64 1 seq_cst, align 8
  br i1 %cmp, label %if.then, label %for.cond.preheader

for.cond.preheader:
  %5 = load i64, ptr %threads, align 8
  %cmp313 = icmp sgt i64 %5, 1
  br i1 %cmp313, label %for.body, label %if.end

if.then:
  %call = call i32 @pthread_cond_broadcast(ptr noundef getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 1, i32 0)) #13
  br label %if.end

for.body:
  %i.014 = phi i64 [ %inc, %for.body ], [ 1, %for.cond.preheader ]
  %call5 = call i32 @pthread_cond_signal(ptr noundef getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 1, i32 0)) #13
  %inc = add nuw nsw i64 %i.014, 1
  %6 = load i64, ptr %threads, align 8
  %cmp3 = icmp slt i64 %inc, %6
  br i1 %cmp3, label %for.body, label %if.end

if.end:
  ret void
}

define internal fastcc void @pm_run_body(ptr noundef %loop, i64 noundef %thread) unnamed_addr #0 {
entry:
  %event = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 7
  %0 = load ptr, ptr %event, align 16
  %cmp = icmp eq ptr %0, null
  br i1 %cmp, label %if.then, label %if.else

if.then:
  %body = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 0
  %1 = load ptr, ptr %body, align 64
  %given = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 1
  %2 = load ptr, ptr %given, align 8
  call void %1(ptr noundef %2, i64 noundef %thread, ptr noundef %loop) #13
  br label %if.end

if.else:
  call fastcc void @pm_run_told(ptr noundef %loop, i64 noundef %thread)
  br label %if.end

if.end:
  ret void
}

define internal fastcc void @pm_finish(ptr noundef %loop) unnamed_addr #0 {
entry:
  call fastcc void @pm_lock()
  call fastcc void @pm_unlist(ptr noundef %loop)
  call fastcc void @pm_unlock()
  %in = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 10
  call fastcc void @pm_wait_briefly(ptr noundef nonnull %in, i64 noundef 0, i32 noundef 1)
  %0 = load atomic i64, ptr %in seq_cst, align 8
  %cmp = icmp eq i64 %0, 0
  br i1 %cmp, label %return, label %if.end

if.end:
  call fastcc void @pm_lock()
  %1 = load i64, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 9), align 8
  %inc = add nsw i64 %1, 1
  store i64 %inc, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 9), align 8
  %2 = load atomic i64, ptr %in seq_cst, align 8
  %cmp48 = icmp sgt i64 %2, 0
  br i1 %cmp48, label %while.body, label %while.end

while.body:
  %call = call i32 @pthread_cond_wait(ptr noundef getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 2, i32 0), ptr noundef @pm_pool) #13
  %3 = load atomic i64, ptr %in seq_cst, align 8
  %cmp4 = icmp sgt i64 %3, 0
  br i1 %cmp4, label %while.body, label %while.end

while.end:
  %4 = load i64, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 9), align 8
  %dec = add nsw i64 %4, -1
  store i64 %dec, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 9), align 8
  call fastcc void @pm_unlock()
  br label %return

return:
  ret void
}

define internal fastcc void @pm_add_workers(i64 noundef %n) unnamed_addr #0 {
entry:
  %all = alloca %struct.__sigset_t, align 8
  %before = alloca %struct.__sigset_t, align 8
  %0 = bitcast ptr %all to ptr
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %0) #13
  %1 = bitcast ptr %before to ptr
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %1) #13
  %2 = load i64, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 8), align 16
  %cmp = icmp sge i64 %2, %n
  %3 = load i32, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 10), align 32
  %tobool = icmp ne i32 %3, 0
  %or.cond = select i1 %cmp, i1 true, i1 %tobool
  br i1 %or.cond, label %cleanup, label %if.end

if.end:
  store i64 %n, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 8), align 16
  %call = call i32 @sigfillset(ptr noundef nonnull %all) #13
  %call1 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %all, ptr noundef nonnull %before) #13
  %4 = load i64, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 7), align 8
  %cmp211 = icmp slt i64 %4, %n
  %cmp312 = icmp slt i64 %4, 4096
  %or.cond813 = and i1 %cmp211, %cmp312
  br i1 %or.cond813, label %land.rhs, label %while.end

land.rhs:
  %5 = phi i64 [ %inc, %while.body ], [ %4, %if.end ]
  %arrayidx = getelementptr inbounds %struct.anon, ptr @pm_pool, i64 0, i32 6, i64 %5
  %call4 = call i32 @pthread_create(ptr noundef nonnull %arrayidx, ptr noundef null, ptr noundef nonnull @pm_work, ptr noundef null) #13
  %cmp5 = icmp eq i32 %call4, 0
  br i1 %cmp5, label %while.body, label %while.end

while.body:
  %6 = load i64, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 7), align 8
  %inc = add nsw i64 %6, 1
  store i64 %inc, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 7), align 8
  %cmp2 = icmp slt i64 %inc, %n
  %cmp3 = icmp slt i64 %6, 4095
  %or.cond8 = and i1 %cmp2, %cmp3
  br i1 %or.cond8, label %land.rhs, label %while.end

while.end:
  %call6 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %before, ptr noundef null) #13
  br label %cleanup

cleanup:
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %1) #13
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %0) #13
  ret void
}

declare i32 @pthread_cond_signal(ptr noundef) local_unnamed_addr #4

declare i32 @sigfillset(ptr noundef) local_unnamed_addr #4

declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #4

declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #4

define internal ptr @pm_work(ptr noundef readnone returned %none) #0 {
entry:
  call fastcc void @pm_lock()
  %0 = load i32, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 10), align 32
  %tobool.not3 = icmp eq i32 %0, 0
  br i1 %tobool.not3, label %while.body, label %while.end

while.body:
  %call = call fastcc ptr @pm_find_loop()
  %cmp.not = icmp eq ptr %call, null
  br i1 %cmp.not, label %if.else, label %if.then

if.then:
  call fastcc void @pm_join(ptr noundef nonnull %call)
  br label %if.end

if.else:
  call fastcc void @pm_rest()
  br label %if.end

if.end:
  %1 = load i32, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 10), align 32
  %tobool.not = icmp eq i32 %1, 0
  br i1 %tobool.not, label %while.body, label %while.end

while.end:
  call fastcc void @pm_unlock()
  ret ptr %none
}

define internal fastcc ptr @pm_find_loop() unnamed_addr #2 {
entry:
  %loop.05 = load ptr, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 5), align 64
  %cmp.not6 = icmp eq ptr %loop.05, null
  br i1 %cmp.not6, label %while.end, label %land.rhs

land.rhs:
  %loop.07 = phi ptr [ %loop.0, %while.body ], [ %loop.05, %entry ]
  %call = call fastcc i32 @pm_has_work(ptr noundef nonnull %loop.07)
  %tobool.not = icmp eq i32 %call, 0
  br i1 %tobool.not, label %while.body, label %while.end

while.body:
  %next = getelementptr inbounds %struct.pm_loop, ptr %loop.07, i64 0, i32 9
  %loop.0 = load ptr, ptr %next, align 64
  %cmp.not = icmp eq ptr %loop.0, null
  br i1 %cmp.not, label %while.end, label %land.rhs

while.end:
  %loop.0.lcssa = phi ptr [ %loop.05, %entry ], [ %loop.07, %land.rhs ], [ %loop.0, %while.body ]
  ret ptr %loop.0.lcssa
}

define internal fastcc void @pm_join(ptr noundef %loop) unnamed_addr #0 {
entry:
  %here = alloca %struct.pm_caller, align 8
  %joined = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 8
  %0 = load i64, ptr %joined, align 8
  %inc = add nsw i64 %0, 1
  store i64 %inc, ptr %joined, align 8
  %threads = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 3
  %1 = load i64, ptr %threads, align 8
  %cmp = icmp eq i64 %inc, %1
  br i1 %cmp, label %if.then, label %if.end

if.then:
  call fastcc void @pm_unlist(ptr noundef %loop)
  br label %if.end

if.end:
  %2 = bitcast ptr %here to ptr
  call void @llvm.lifetime.start.p0(i64 56, ptr nonnull %2) #13
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %2, i8 0, i64 56, i1 false)
  %caller = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 6
  %3 = load ptr, ptr %caller, align 8
  %cmp2.not = icmp eq ptr %3, null
  br i1 %cmp2.not, label %if.end8, label %if.then3

if.then3:
  %4 = bitcast ptr %3 to ptr
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %2, ptr noundef nonnull align 8 dereferenceable(56) %4, i64 56, i1 false)
  call fastcc void @pm_list_caller(ptr noundef nonnull %here)
  br label %if.end8

if.end8:
  %in = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 10
  %5 = atomicrmw add ptr %in, i64 1 seq_cst, align 8
  call fastcc void @pm_unlock()
  call fastcc void @pm_run_body(ptr noundef %loop, i64 noundef %0)
  %6 = atomicrmw sub ptr %in, i64 1 seq_cst, align 8
  %cmp12 = icmp eq i64 %6, 1
  call fastcc void @pm_lock()
  br i1 %cmp2.not, label %if.end16, label %if.then15

if.then15:
  call fastcc void @pm_unlist_caller(ptr noundef nonnull %here)
  br label %if.end16

if.end16:
  %7 = load i64, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 9), align 8
  %cmp18 = icmp sgt i64 %7, 0
  %or.cond = select i1 %cmp12, i1 %cmp18, i1 false
  br i1 %or.cond, label %if.then20, label %if.end21

if.then20:
  %call = call i32 @pthread_cond_broadcast(ptr noundef getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 2, i32 0)) #13
  br label %if.end21

if.end21:
  call void @llvm.lifetime.end.p0(i64 56, ptr nonnull %2) #13
  ret void
}

define internal fastcc void @pm_rest() unnamed_addr #0 {
entry:
  %0 = load atomic i64, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 3) seq_cst, align 64
  call fastcc void @pm_unlock()
  call fastcc void @pm_wait_briefly(ptr noundef getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 3), i64 noundef %0, i32 noundef 0)
  call fastcc void @pm_lock()
  %call = call fastcc ptr @pm_find_loop()
  %cmp = icmp ne ptr %call, null
  %1 = load i32, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 10), align 32
  %tobool = icmp ne i32 %1, 0
  %or.cond = select i1 %cmp, i1 true, i1 %tobool
  br i1 %or.cond, label %if.end, label %if.then

if.then:
  %call1 = call i32 @pthread_cond_wait(ptr noundef getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 1, i32 0), ptr noundef @pm_pool) #13
  br label %if.end

if.end:
  ret void
}

define internal fastcc i32 @pm_has_work(ptr nocapture noundef readonly %loop) unnamed_addr #3 {
entry:
  %at = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 12
  %0 = load atomic i64, ptr %at monotonic, align 64
  %iterations = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 2
  %1 = load i64, ptr %iterations, align 16
  %cmp = icmp slt i64 %0, %1
  %conv = zext i1 %cmp to i32
  ret i32 %conv
}

define internal fastcc void @pm_unlist(ptr noundef readonly %loop) unnamed_addr #9 {
entry:
  %0 = load ptr, ptr getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 5), align 64
  %cmp.not9 = icmp eq ptr %0, null
  br i1 %cmp.not9, label %cleanup, label %for.body.preheader

for.body.preheader:
  %cmp113 = icmp eq ptr %0, %loop
  br i1 %cmp113, label %if.then, label %for.cond

for.cond:
  %.pn = phi ptr [ %1, %for.body ], [ %0, %for.body.preheader ]
  %next215 = getelementptr inbounds %struct.pm_loop, ptr %.pn, i64 0, i32 9
  %1 = load ptr, ptr %next215, align 8
  %cmp.not = icmp eq ptr %1, null
  br i1 %cmp.not, label %cleanup, label %for.body

for.body:
  %cmp1 = icmp eq ptr %1, %loop
  br i1 %cmp1, label %if.then.loopexit, label %for.cond

if.then.loopexit:
  %next215.le = getelementptr inbounds %struct.pm_loop, ptr %.pn, i64 0, i32 9
  br label %if.then

if.then:
  %at.010.lcssa = phi ptr [ getelementptr inbounds (%struct.anon, ptr @pm_pool, i64 0, i32 5), %for.body.preheader ], [ %next215.le, %if.then.loopexit ]
  %next = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 9
  %2 = load ptr, ptr %next, align 64
  store ptr %2, ptr %at.010.lcssa, align 8
  br label %cleanup

cleanup:
  ret void
}

define internal fastcc void @pm_wait_briefly(ptr nocapture noundef readonly %number, i64 noundef %value, i32 noundef %equal) unnamed_addr #0 {
entry:
  %before = alloca %struct.timespec, align 8
  %now = alloca %struct.timespec, align 8
  %0 = bitcast ptr %before to ptr
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %0) #13
  %1 = bitcast ptr %now to ptr
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %1) #13
  %call = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %before) #13
  %tv_sec = getelementptr inbounds %struct.timespec, ptr %now, i64 0, i32 0
  %tv_sec5 = getelementptr inbounds %struct.timespec, ptr %before, i64 0, i32 0
  %tv_nsec = getelementptr inbounds %struct.timespec, ptr %now, i64 0, i32 1
  %tv_nsec6 = getelementptr inbounds %struct.timespec, ptr %before, i64 0, i32 1
  br label %land.rhs

land.rhs:
  %spent.015 = phi i64 [ 0, %entry ], [ %add10, %while.body ]
  %2 = load atomic i64, ptr %number acquire, align 8
  %cmp1 = icmp eq i64 %2, %value
  %conv = zext i1 %cmp1 to i32
  %cmp2.not = icmp eq i32 %conv, %equal
  br i1 %cmp2.not, label %while.end, label %while.body

while.body:
  %call4 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %now) #13
  %3 = load i64, ptr %tv_sec, align 8
  %4 = load i64, ptr %tv_sec5, align 8
  %sub = sub nsw i64 %3, %4
  %mul = mul nsw i64 %sub, 1000000000
  %5 = load i64, ptr %tv_nsec, align 8
  %6 = load i64, ptr %tv_nsec6, align 8
  %sub7 = sub nsw i64 %5, %6
  %add = add nsw i64 %sub7, %mul
  %cmp8 = icmp slt i64 %add, 2000
  %cond = select i1 %cmp8, i64 %add, i64 2000
  %add10 = add nsw i64 %cond, %spent.015
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %0, ptr noundef nonnull align 8 dereferenceable(16) %1, i64 16, i1 false)
  %cmp = icmp slt i64 %add10, 50000
  br i1 %cmp, label %land.rhs, label %while.end

while.end:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %1) #13
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %0) #13
  ret void
}

declare i32 @pthread_cond_wait(ptr noundef, ptr noundef) local_unnamed_addr #5

declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #4

define internal fastcc void @pm_run_told(ptr noundef %loop, i64 noundef %thread) unnamed_addr #0 {
entry:
  %told = alloca %struct.pm_told, align 64
  %0 = bitcast ptr %told to ptr
  call void @llvm.lifetime.start.p0(i64 320, ptr nonnull %0) #13
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 64 dereferenceable(320) %0, i8 0, i64 320, i1 false)
  %it = getelementptr inbounds %struct.pm_told, ptr %told, i64 0, i32 0
  %is_told = getelementptr inbounds %struct.pm_told, ptr %told, i64 0, i32 0, i32 5
  store i32 1, ptr %is_told, align 4
  %loop1 = getelementptr inbounds %struct.pm_told, ptr %told, i64 0, i32 1
  store ptr %loop, ptr %loop1, align 64
  %part = getelementptr inbounds %struct.pm_told, ptr %told, i64 0, i32 2
  %event = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 7
  %1 = bitcast ptr %event to ptr
  %2 = load ptr, ptr %1, align 16
  %3 = bitcast ptr %part to ptr
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(64) %3, ptr noundef nonnull align 8 dereferenceable(64) %2, i64 64, i1 false)
  %body = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 0
  %4 = load ptr, ptr %body, align 64
  %given = getelementptr inbounds %struct.pm_loop, ptr %loop, i64 0, i32 1
  %5 = load ptr, ptr %given, align 8
  call void %4(ptr noundef %5, i64 noundef %thread, ptr noundef nonnull %it) #13
  call fastcc void @pm_end_part(ptr noundef nonnull %told)
  call void @llvm.lifetime.end.p0(i64 320, ptr nonnull %0) #13
  ret void
}

define internal fastcc void @pm_end_part(ptr noundef %told) unnamed_addr #0 {
entry:
  %end = getelementptr inbounds %struct.pm_told, ptr %told, i64 0, i32 2, i32 4
  %0 = load i64, ptr %end, align 8
  %cmp = icmp eq i64 %0, 0
  br i1 %cmp, label %return, label %if.end

if.end:
  %part = getelementptr inbounds %struct.pm_told, ptr %told, i64 0, i32 2
  %call = call fastcc i64 @pm_now()
  %done_at = getelementptr inbounds %struct.pm_told, ptr %told, i64 0, i32 2, i32 6
  store i64 %call, ptr %done_at, align 8
  %loop = getelementptr inbounds %struct.pm_told, ptr %told, i64 0, i32 1
  %1 = load ptr, ptr %loop, align 64
  %caller = getelementptr inbounds %struct.pm_loop, ptr %1, i64 0, i32 6
  %2 = load ptr, ptr %caller, align 8
  %tell = getelementptr inbounds %struct.pm_caller, ptr %2, i64 0, i32 2
  %3 = load ptr, ptr %tell, align 8
  %user = getelementptr inbounds %struct.pm_caller, ptr %2, i64 0, i32 3
  %4 = load ptr, ptr %user, align 8
  call void %3(ptr noundef %4, ptr noundef nonnull %part) #13
  store i64 0, ptr %end, align 8
  br label %return

return:
  ret void
}

define internal fastcc i64 @pm_now() unnamed_addr #0 {
entry:
  %now = alloca %struct.timespec, align 8
  %0 = bitcast ptr %now to ptr
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %0) #13
  %call = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %now) #13
  %tv_sec = getelementptr inbounds %struct.timespec, ptr %now, i64 0, i32 0
  %1 = load i64, ptr %tv_sec, align 8
  %mul = mul nsw i64 %1, 1000000000
  %tv_nsec = getelementptr inbounds %struct.timespec, ptr %now, i64 0, i32 1
  %2 = load i64, ptr %tv_nsec, align 8
  %add = add nsw i64 %mul, %2
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %0) #13
  ret i64 %add
}

define internal fastcc i64 @pm_next_loop(ptr nocapture noundef readonly %caller) unnamed_addr #0 {
entry:
  call fastcc void @pm_lock()
  %first = getelementptr inbounds %struct.pm_caller, ptr %caller, i64 0, i32 4
  %0 = load ptr, ptr %first, align 8
  %loops = getelementptr inbounds %struct.pm_caller, ptr %0, i64 0, i32 6
  %1 = load i64, ptr %loops, align 8
  %inc = add nsw i64 %1, 1
  store i64 %inc, ptr %loops, align 8
  call fastcc void @pm_unlock()
  ret i64 %1
}

declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #10

declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #11

declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #10

declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #12

attributes #0 = { noinline optnone nounwind }
attributes #1 = { mustprogress nofree noinline optnone nounwind willreturn }
attributes #2 = { nofree noinline optnone norecurse nounwind }
attributes #3 = { mustprogress nofree noinline optnone norecurse nounwind willreturn }
attributes #4 = { nounwind }
attributes #5 = { nounwind }
attributes #6 = { mustprogress nofree nosync nounwind willreturn memory(none) }
attributes #7 = { nofree nounwind memory(read) }
attributes #8 = { mustprogress nofree nounwind willreturn }
attributes #9 = { nofree noinline optnone norecurse nosync nounwind }
attributes #10 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #11 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #12 = { nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #13 = { nounwind }
attributes #14 = { nounwind willreturn memory(none) }

