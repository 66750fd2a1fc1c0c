# The GPU's engines without a GPU: their sources compiled for the CPU, a thread of a kernel being a fiber, streams
# proceeding at random times.
option(TORRE_GPU_ON_CPU "Test the GPU's engines on the CPU" ON)
option(TORRE_ALL_BODIES_ON_CPU "In fp32 with all bodies of the register towers that a GPU has (10 minutes)" OFF)
include(CheckLanguage)
check_language(CXX)
if(TORRE_GPU_ON_CPU AND CMAKE_CXX_COMPILER AND NOT TORRE_CUDA AND NOT TORRE_SANITIZE)
  enable_language(CXX)
  set(CMAKE_CXX_STANDARD 17)
  foreach(list both towers towers_f32 once classic classic_once)
    string(TOUPPER TORRE_GPU_${list} property)
    get_property(gpu_${list} GLOBAL PROPERTY ${property}) # diamond/gpu/CMakeLists.txt, diamond/classic/CMakeLists.txt
  endforeach()
  set(both ${gpu_both} ${gpu_towers})
  set(single ${gpu_towers_f32}) # fp32 alone
  set(once ${gpu_once})
  list(REMOVE_ITEM both ${gpu_classic}) # compiled below
  list(REMOVE_ITEM once ${gpu_classic_once})
  set_source_files_properties(
    ${both} ${single} ${once}
    PROPERTIES LANGUAGE CXX
               COMPILE_OPTIONS "-include;cuda_runtime.h"
               COMPILE_DEFINITIONS TOR_TOWER_CAPABILITIES=90)
  foreach(bits 32 64)
    add_library(torre_on_cpu_f${bits} OBJECT ${both} "$<$<EQUAL:${bits},32>:${single}>")
    # Symbols that are not static have other names in the other precision.
    target_compile_definitions(
      torre_on_cpu_f${bits} PRIVATE TOR_REAL_BITS=${bits} tor_gpu_view=tor_gpu_view_f${bits}
                                    tower_kind=tower_kind_f${bits})
  endforeach()
  # Most of the build's time are the bodies of the register towers: each takes 5 s, in each of four files.
  set(few_bodies TOR_TOWER_FEW_BODIES TOR_TOWER_FEW_DAMPED)
  target_compile_definitions(torre_on_cpu_f64 PRIVATE ${few_bodies})
  if(NOT TORRE_ALL_BODIES_ON_CPU)
    target_compile_definitions(torre_on_cpu_f32 PRIVATE ${few_bodies})
  endif()
  add_library(torre_on_cpu OBJECT ${once} gpu/on_cpu/fibers.cpp gpu/on_cpu/library.cpp)
  target_compile_definitions(torre_on_cpu PRIVATE TOR_REAL_BITS=32)
  foreach(library torre_on_cpu torre_on_cpu_f32 torre_on_cpu_f64)
    target_include_directories(${library} PRIVATE gpu/on_cpu ${CMAKE_SOURCE_DIR})
    # A jump from stack to stack is not a stack overflow.
    target_compile_options(
      ${library} PRIVATE -O1 -U_FORTIFY_SOURCE $<$<COMPILE_LANGUAGE:CXX>:${torre_march} -ffp-contract=off>)
  endforeach()
endif()

# The same kernels, in fp32, with each access to memory reported (gpu/on_cpu/races.h).
if(TARGET torre_on_cpu)
  add_library(torre_races_f32 OBJECT ${both} ${single})
  add_library(torre_races_once OBJECT ${once})
  add_library(torre_races OBJECT gpu/on_cpu/fibers.cpp gpu/on_cpu/library.cpp gpu/on_cpu/races.cpp)
  target_compile_definitions(
    torre_races_f32 PRIVATE tor_gpu_view=tor_gpu_view_f32 tower_kind=tower_kind_f32 TOR_TOWER_FEW_BODIES=3
                            TOR_TOWER_FEW_DAMPED)
  # Entries and exits of functions are nothing to the race finder; without their calls the compiler is faster, too.
  target_compile_options(
    torre_races_f32 PRIVATE -fsanitize=thread
                            "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param tsan-instrument-func-entry-exit=0>")
  foreach(library torre_races torre_races_f32 torre_races_once)
    target_compile_definitions(${library} PRIVATE TOR_REAL_BITS=32 TEST_RACES)
    target_include_directories(${library} PRIVATE gpu/on_cpu ${CMAKE_SOURCE_DIR})
    target_compile_options(
      ${library} PRIVATE -O1 -g1 -U_FORTIFY_SOURCE $<$<COMPILE_LANGUAGE:CXX>:${torre_march} -ffp-contract=off>)
  endforeach()
  # Where most of the tests' time is spent: the choice of the next fiber, and vector clocks.
  set_source_files_properties(gpu/on_cpu/fibers.cpp gpu/on_cpu/races.cpp PROPERTIES COMPILE_OPTIONS -O3)
  # The instrumented objects come first: of functions that both precisions have the linker takes the first.
  add_executable(
    test_races gpu/on_cpu/towers.c $<TARGET_OBJECTS:torre_races_f32> $<TARGET_OBJECTS:torre_races_once>
               $<TARGET_OBJECTS:torre_races> $<TARGET_OBJECTS:torre_on_cpu_f64>)
  add_executable(test_race_finder gpu/on_cpu/race_finder.cpp $<TARGET_OBJECTS:torre_races>)
  set_source_files_properties(gpu/on_cpu/race_finder.cpp PROPERTIES COMPILE_OPTIONS "-fsanitize=thread")
  foreach(program test_races test_race_finder)
    target_include_directories(${program} PRIVATE gpu/on_cpu)
    target_compile_definitions(${program} PRIVATE TOR_REAL_BITS=32 TEST_RACES)
    target_link_libraries(${program} PRIVATE torre_test_support)
    set_target_properties(${program} PROPERTIES LINKER_LANGUAGE CXX)
  endforeach()
endif()

# The classic mappings, which take seconds to compile, once without and once with each access reported; their test needs
# no others.
if(TARGET torre_on_cpu)
  set_source_files_properties(
    gpu/on_cpu/fail.cpp ${gpu_classic} ${gpu_classic_once} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS
                                                                                  "-include;cuda_runtime.h")
  set(harness gpu/on_cpu/fail.cpp gpu/on_cpu/fibers.cpp gpu/on_cpu/library.cpp)
  add_library(torre_classic_choose OBJECT ${gpu_classic_once})
  add_library(torre_classic_on_cpu OBJECT ${harness})
  add_library(torre_classic_races OBJECT ${harness} gpu/on_cpu/races.cpp)
  foreach(bits 32 64)
    add_library(torre_classic_on_cpu_f${bits} OBJECT ${gpu_classic})
    target_compile_definitions(torre_classic_on_cpu_f${bits} PRIVATE TOR_REAL_BITS=${bits})
    add_library(torre_classic_races_f${bits} OBJECT ${gpu_classic})
    target_compile_definitions(torre_classic_races_f${bits} PRIVATE TOR_REAL_BITS=${bits} TEST_RACES)
    target_compile_options(torre_classic_races_f${bits} PRIVATE -fsanitize=thread -g1)
  endforeach()
  target_compile_definitions(torre_classic_races PRIVATE TEST_RACES)
  foreach(library choose on_cpu on_cpu_f32 on_cpu_f64 races races_f32 races_f64)
    target_include_directories(torre_classic_${library} PRIVATE gpu/on_cpu ${CMAKE_SOURCE_DIR})
    target_compile_options(
      torre_classic_${library} PRIVATE -O1 -U_FORTIFY_SOURCE
                                       $<$<COMPILE_LANGUAGE:CXX>:${torre_march} -ffp-contract=off>)
  endforeach()
  foreach(library choose on_cpu races)
    target_compile_definitions(torre_classic_${library} PRIVATE TOR_REAL_BITS=32)
  endforeach()
  set(seeds_of_on_cpu 1 2)
  set(seeds_of_races 2 1)
  foreach(kind on_cpu races)
    set(test classic_${kind})
    add_executable(
      test_${test} gpu/classic.c $<TARGET_OBJECTS:torre_classic_choose> $<TARGET_OBJECTS:torre_${test}>
                   $<TARGET_OBJECTS:torre_${test}_f32> $<TARGET_OBJECTS:torre_${test}_f64>)
    target_compile_definitions(test_${test} PRIVATE TEST_ON_CPU)
    target_link_libraries(test_${test} PRIVATE torre_test_support)
    set_target_properties(test_${test} PROPERTIES LINKER_LANGUAGE CXX)
    torre_limited(100 limit)
    add_test(NAME ${test} COMMAND ${limit} $<TARGET_FILE:test_${test}> ${seeds_of_${kind}})
    torre_set_timeout(${test} 100)
    set_tests_properties(${test} PROPERTIES LABELS unit ENVIRONMENT "${torre_environment};ON_CPU_SEED=1")
  endforeach()
endif()

# torre_on_cpu_program(NAME FILE): with a GPU that is the CPU.
function(torre_on_cpu_program name file)
  add_executable(
    ${name} ${file} $<TARGET_OBJECTS:torre_on_cpu> $<TARGET_OBJECTS:torre_on_cpu_f32>
            $<TARGET_OBJECTS:torre_on_cpu_f64> $<TARGET_OBJECTS:torre_classic_choose>
            $<TARGET_OBJECTS:torre_classic_on_cpu_f32> $<TARGET_OBJECTS:torre_classic_on_cpu_f64>)
  target_include_directories(${name} PRIVATE gpu/on_cpu)
  target_link_libraries(${name} PRIVATE torre_test_support)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()
if(TARGET torre_on_cpu)
  torre_on_cpu_program(torre_with_cpu_as_gpu ../src/main.c) # tests/system/gpu_on_cpu.sh
  # Here main calls it; as the first thing of all, which is left out, it would have to run on any CPU.
  target_sources(torre_with_cpu_as_gpu PRIVATE ../src/early_signals.c)
  set_source_files_properties(../src/early_signals.c PROPERTIES COMPILE_DEFINITIONS TORRE_SANITIZED)
endif()

# torre_on_cpu_test(NAME FILE [ARGS...])
function(torre_on_cpu_test name file)
  if(NOT TARGET torre_on_cpu)
    return()
  endif()
  cmake_path(GET file STEM program)
  set(program test_${program}_on_cpu)
  if(NOT TARGET ${program})
    torre_on_cpu_program(${program} ${file})
  endif()
  torre_limited(900 limit)
  add_test(NAME ${name} COMMAND ${limit} $<TARGET_FILE:${program}> ${ARGN})
  torre_set_timeout(${name} 900)
  set_tests_properties(${name} PROPERTIES LABELS unit ENVIRONMENT "${torre_environment};ON_CPU_SEED=1")
endfunction()

# torre_on_cpu_mpi_test(NAME FILE RANKS [ARGS...]): so many ranks, each on a device of its own.
function(torre_on_cpu_mpi_test name file ranks)
  if(NOT TARGET torre_on_cpu OR NOT MPI_C_FOUND)
    return()
  endif()
  torre_on_cpu_test(${name} ${file} ${ARGN})
  cmake_path(GET file STEM program)
  torre_limited(900 limit)
  add_test(
    NAME ${name}_${ranks}
    COMMAND ${limit} ${mpi_launcher} ${ranks} $<TARGET_FILE:test_${program}_on_cpu> ${ARGN})
  torre_set_timeout(${name}_${ranks} 900)
  set_tests_properties(
    ${name}_${ranks}
    PROPERTIES LABELS mpi ENVIRONMENT "${torre_environment};ON_CPU_SEED=1;ON_CPU_DEVICES=${ranks}")
endfunction()

if(TARGET test_races)
  torre_limited(600 limit)
  add_test(NAME race_finder COMMAND ${limit} $<TARGET_FILE:test_race_finder>)
  foreach(order 2 4)
    add_test(NAME races_order${order} COMMAND ${limit} $<TARGET_FILE:test_races> ${order} 1 1 32)
  endforeach()
  foreach(name race_finder races_order2 races_order4)
    torre_set_timeout(${name} 900)
  endforeach()
  set_tests_properties(
    race_finder races_order2 races_order4
    PROPERTIES LABELS unit ENVIRONMENT "${torre_environment};ON_CPU_SEED=1")
endif()
# Seed 2 has the kinds of slabs of seed 1 (which the race finder has) and those of which every other seed has one; more
# seeds by hand (docs/design/gpu.md).
torre_on_cpu_test(towers_on_cpu_order2 gpu/on_cpu/towers.c 2 2 1)
torre_on_cpu_test(towers_on_cpu_order4 gpu/on_cpu/towers.c 4 2 1)
torre_on_cpu_test(engines_on_cpu gpu/engines.c 2 0 0 2)
torre_on_cpu_test(window_on_cpu gpu/window.c 1 64 0 1)
torre_on_cpu_test(window_on_cpu_complex gpu/window.c 1 64 2 20 complex)
torre_on_cpu_test(walls_on_cpu gpu/walls.c 19 2 32)
torre_on_cpu_test(segments_on_cpu gpu/segments.c 3 1 0 0 small)
torre_on_cpu_test(walls_on_cpu_bloch gpu/walls.c 6 2)
torre_on_cpu_mpi_test(ranks_on_cpu gpu/ranks.c 2 1 32 0 resident short)
torre_on_cpu_test(ranks_on_cpu_1x2 gpu/ranks.c 1 32 2 resident short 2)
torre_on_cpu_test(ranks_on_cpu_1x2_window gpu/ranks.c 1 32 2 window short 2)
torre_on_cpu_test(ranks_on_cpu_1x3 gpu/ranks.c 1 32 2 both small 3)
torre_on_cpu_test(ranks_on_cpu_plane gpu/ranks.c 1 0 0 plane small 3)
torre_on_cpu_test(ranks_on_cpu_complex gpu/ranks.c 1 32 2 complex small 2)
torre_on_cpu_test(ranks_on_cpu_ring gpu/ranks.c 1 32 2 ring small 2)
if(TARGET torre_on_cpu)
  set(several ranks_on_cpu_1x2 ranks_on_cpu_1x2_window ranks_on_cpu_1x3 ranks_on_cpu_plane ranks_on_cpu_complex
      ranks_on_cpu_ring)
  set_property(TEST ${several} APPEND PROPERTY ENVIRONMENT ON_CPU_DEVICES=3)
endif()
