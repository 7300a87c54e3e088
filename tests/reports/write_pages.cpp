// SPDX-License-Identifier: Apache-2.0
//
// Writes the web pages that browser_test.py opens: write_pages DIRECTORY.
#include <filesystem>
#include <fstream>

#include "reports/writer.h"
#include "tests/reports/page_reports.h"

int main(int argc, char** argv) {
  using namespace convict;
  if (argc != 2) return 2;
  const std::filesystem::path directory = argv[1];
  std::filesystem::create_directories(directory);
  for (const reports::ReportWriter* writer : reports::all()) {
    if (writer->name != "html") continue;
    std::ofstream(directory / "empty.html", std::ios::binary) << writer->write(test::empty_page_report());
    std::ofstream(directory / "sample.html", std::ios::binary) << writer->write(test::page_report());
    std::ofstream(directory / "large.html", std::ios::binary) << writer->write(test::large_report(10'000));
    std::ofstream(directory / "hostile.html", std::ios::binary) << writer->write(test::hostile_report());
    return 0;
  }
  return 1;
}
