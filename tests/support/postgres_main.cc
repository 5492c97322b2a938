// A PostgreSQL server for tests that are not written in C++: `postgres_server 15 /path/of/the/repository`
// prints
// {"port":…,"socket":"…"} on one line when it answers, and ends it when its standard input ends. Each line
// that comes in is SQL, run as the owner; the answer is "ok" or what went wrong, on one line.

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>

#include "postgres_server.h"

int main(int count, char** arguments) {
  if (count != 3) return 2;
  try {
    const sluice::testing_support::PostgresServer server(std::stoi(arguments[1]), arguments[2]);
    std::cout << R"({"port":)" << server.port() << R"(,"socket":")" << server.socket_folder() << "\"}"
              << std::endl;
    std::string line;
    while (std::getline(std::cin, line)) {
      std::string answer = "ok";
      try {
        server.run(line);
      } catch (const std::exception& error) {
        answer = error.what();
        std::replace(answer.begin(), answer.end(), '\n', ' ');
      }
      std::cout << answer << std::endl;
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
