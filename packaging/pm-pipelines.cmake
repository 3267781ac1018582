# pm_add_pipeline(NAME SOURCE FILE
#   [FUNCTION NAME]            the function of C (default: the library's name; of IR, that which it says)
#   [TARGET c|llvm|opencl]     what makes the code (default: llvm with TRIPLE, CPU or FEATURES, else c)
#   [CONST NAME=VALUE…]        constants of the program
#   [RANGE NAME=LOW:HIGH…]     ranges of inputs
#   [ESTIMATE NAME=VALUE…]     what integer parameters usually are
#   [TUNED FILE]               what pm-tune has found
#   [TRIPLE TRIPLE]            the system of the target llvm (default: the one that is built for)
#   [CPU NAME,…]               its processors (default: this one; in cross builds the least of the triple)
#   [FEATURES LIST]            their features
#   [THREADS none|openmp|pool] what runs parallel loops; none is for C alone (default: openmp, of llvm pool)
#   [OPTIONS OPTION…]          further options of pmc
#   [DEPENDS FILE…])           further files that the program depends on
# Compiles a program of images to a static library NAME. Its header NAME.h is in the include path of what links it. The program is
# compiled again when a file changes that it has read.

function(pm_add_pipeline name)
  cmake_parse_arguments(PARSE_ARGV 1 pm "" "SOURCE;FUNCTION;TARGET;TUNED;TRIPLE;CPU;FEATURES;THREADS"
    "CONST;RANGE;ESTIMATE;OPTIONS;DEPENDS")
  if(pm_UNPARSED_ARGUMENTS OR pm_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "pm_add_pipeline(${name}): what is ${pm_UNPARSED_ARGUMENTS} ${pm_KEYWORDS_MISSING_VALUES}?")
  endif()
  if(NOT pm_SOURCE)
    message(FATAL_ERROR "pm_add_pipeline(${name}): SOURCE is missing, the file of the program")
  endif()
  if(NOT TARGET pm::pmc)
    message(FATAL_ERROR "pm_add_pipeline(${name}): the program pmc is not found; install pm-tools, or set PM_PMC to its path")
  endif()

  if(NOT pm_FUNCTION AND NOT pm_SOURCE MATCHES "\\.pmir$")
    set(pm_FUNCTION ${name})
  endif()
  if(NOT pm_TARGET)
    set(pm_TARGET c)
    if(pm_TRIPLE OR pm_CPU OR pm_FEATURES)
      set(pm_TARGET llvm)
    endif()
  endif()
  if(pm_THREADS STREQUAL none AND NOT pm_TARGET STREQUAL c)
    message(FATAL_ERROR "pm_add_pipeline(${name}): THREADS is none, but should be openmp or pool for the target ${pm_TARGET}")
  endif()
  set(extension c)
  if(pm_TARGET STREQUAL llvm)
    set(extension o)
    _pm_complete_triple()
  endif()

  _pm_options(options)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/pm/${name})
  file(MAKE_DIRECTORY ${folder})
  cmake_path(ABSOLUTE_PATH pm_SOURCE NORMALIZE)
  add_custom_command(OUTPUT ${folder}/${name}.${extension} ${folder}/${name}.h
    COMMAND pm::pmc ${pm_SOURCE} -o ${folder}/${name}.${extension} --depfile=${folder}/${name}.d ${options}
    DEPENDS ${pm_SOURCE} ${pm_TUNED} ${pm_DEPENDS} pm::pmc DEPFILE ${folder}/${name}.d
    COMMENT "Compiling the pipeline ${name}" VERBATIM)
  add_library(${name} STATIC ${folder}/${name}.${extension} ${folder}/${name}.h)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C C_STANDARD 11 C_EXTENSIONS ON POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${name} INTERFACE ${folder})
  _pm_link()
endfunction()

# Of the caller's arguments: the system that is built for, where none is named.
macro(_pm_complete_triple)
  if(CMAKE_CROSSCOMPILING AND NOT pm_TRIPLE)
    set(pm_TRIPLE "${CMAKE_LIBRARY_ARCHITECTURE}")
    if(CMAKE_C_COMPILER_TARGET)
      set(pm_TRIPLE "${CMAKE_C_COMPILER_TARGET}")
    endif()
    if(NOT pm_TRIPLE)
      message(FATAL_ERROR "pm_add_pipeline(${name}): TRIPLE is missing, the system that is built for")
    endif()
  endif()
endmacro()

# The options of pmc of the caller's arguments.
macro(_pm_options out)
  set(${out} --target=${pm_TARGET})
  foreach(word FUNCTION:name TUNED:tuned TRIPLE:triple CPU:cpu FEATURES:features THREADS:parallel)
    string(REGEX MATCH "(.*):(.*)" word ${word})
    if(pm_${CMAKE_MATCH_1} AND NOT (CMAKE_MATCH_1 STREQUAL THREADS AND pm_THREADS STREQUAL none))
      list(APPEND ${out} --${CMAKE_MATCH_2}=${pm_${CMAKE_MATCH_1}})
    endif()
  endforeach()
  foreach(word CONST RANGE ESTIMATE)
    string(TOLOWER ${word} option)
    foreach(value ${pm_${word}})
      list(APPEND ${out} --${option}=${value})
    endforeach()
  endforeach()
  list(APPEND ${out} ${pm_OPTIONS})
endmacro()

# What the code calls, and the flags that docs/pm-run.md names for C of every processor.
macro(_pm_link)
  if(pm_TARGET STREQUAL opencl)
    target_link_libraries(${name} PUBLIC ${CMAKE_DL_LIBS})
  endif()
  find_package(Threads REQUIRED)
  target_link_libraries(${name} PUBLIC m Threads::Threads)
  if(NOT pm_TARGET STREQUAL llvm)
    target_compile_options(${name} PRIVATE -O3 -fno-math-errno -fno-trapping-math)
  endif()
  if((pm_TARGET STREQUAL c AND NOT pm_THREADS) OR pm_THREADS STREQUAL openmp)
    find_package(OpenMP REQUIRED COMPONENTS C)
    target_link_libraries(${name} PUBLIC OpenMP::OpenMP_C)
  elseif(NOT pm_TARGET STREQUAL llvm)
    target_compile_options(${name} PRIVATE -fopenmp-simd)
  endif()
endmacro()
