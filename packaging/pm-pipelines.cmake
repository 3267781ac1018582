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
#   [OPTIONS OPTION…]          further options of pmc, whose files are looked for beside CMakeLists.txt, too
#   [DEPENDS FILE…])           further files that the program depends on
# Compiles a program of images to a static library NAME. Its header NAME.h is in the include path of what links it. The program is
# compiled again when a file changes that it has read. The targets c and opencl make C, so the project needs that language; for
# llvm C++ will do.

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
  _pm_choose_language()
  if(pm_THREADS STREQUAL none AND NOT pm_TARGET STREQUAL c)
    message(FATAL_ERROR "pm_add_pipeline(${name}): THREADS is none, but should be openmp or pool for the target ${pm_TARGET}")
  endif()
  set(extension c)
  if(pm_TARGET STREQUAL llvm)
    set(extension o)
    _pm_complete_triple()
  endif()

  cmake_path(ABSOLUTE_PATH pm_SOURCE NORMALIZE)
  set(files ${pm_SOURCE})
  if(pm_TUNED)
    cmake_path(ABSOLUTE_PATH pm_TUNED NORMALIZE)
    list(APPEND files ${pm_TUNED})
  endif()
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _pm_check_files [[${name}]] [[${files}]])")
  _pm_options(options)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/pm/${name})
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${folder}/${name}.${extension} ${folder}/${name}.h
    COMMAND pm::pmc ${pm_SOURCE} -o ${folder}/${name}.${extension} --depfile=${folder}/${name}.d ${options}
    DEPENDS ${pm_SOURCE} ${pm_TUNED} ${pm_DEPENDS} pm::pmc DEPFILE ${folder}/${name}.d
    COMMENT "Compiling the pipeline ${name}" VERBATIM)
  add_library(${name} STATIC ${folder}/${name}.${extension} ${folder}/${name}.h)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE ${language} C_STANDARD 11 C_EXTENSIONS ON POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${name} INTERFACE ${folder})
  _pm_link()
endfunction()

# At the end of the caller's file, when it is known what its build steps make.
function(_pm_check_files name files)
  foreach(file ${files})
    get_source_file_property(is_generated ${file} GENERATED)
    if(NOT EXISTS ${file} AND NOT is_generated)
      message(FATAL_ERROR "pm_add_pipeline(${name}): there is no file ${file}, and no build step of this folder makes it; if another one does, \
set its source file property GENERATED")
    endif()
  endforeach()
endfunction()

# The language of the project that the library is of.
macro(_pm_choose_language)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(language C)
  if(NOT C IN_LIST languages)
    if(NOT pm_TARGET STREQUAL llvm)
      message(FATAL_ERROR "pm_add_pipeline(${name}): the target ${pm_TARGET} makes C, but the project does not have that language; give it, as \
in project(app LANGUAGES C CXX), or TARGET llvm")
    endif()
    set(language CXX)
    if(NOT CXX IN_LIST languages)
      message(FATAL_ERROR "pm_add_pipeline(${name}): the project should have the language C or CXX")
    endif()
  endif()
endmacro()

# Of the caller's arguments: the system that is built for, where none is named.
macro(_pm_complete_triple)
  if(CMAKE_CROSSCOMPILING AND NOT pm_TRIPLE)
    set(pm_TRIPLE "${CMAKE_LIBRARY_ARCHITECTURE}")
    if(CMAKE_${language}_COMPILER_TARGET)
      set(pm_TRIPLE "${CMAKE_${language}_COMPILER_TARGET}")
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
  # pmc runs in the build's folder, and files that the project has are of this one.
  foreach(option IN LISTS pm_OPTIONS)
    if(option MATCHES "^(--(schedule|tuned|machine|include|load-plugin)=|-I)(.+)$" AND NOT IS_ABSOLUTE "${CMAKE_MATCH_3}"
        AND EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${CMAKE_MATCH_3}")
      set(option "${CMAKE_MATCH_1}${CMAKE_CURRENT_SOURCE_DIR}/${CMAKE_MATCH_3}")
    endif()
    list(APPEND ${out} "${option}")
  endforeach()
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
    find_package(OpenMP REQUIRED COMPONENTS ${language})
    target_link_libraries(${name} PUBLIC OpenMP::OpenMP_${language})
  elseif(NOT pm_TARGET STREQUAL llvm)
    target_compile_options(${name} PRIVATE -fopenmp-simd)
  endif()
endmacro()
