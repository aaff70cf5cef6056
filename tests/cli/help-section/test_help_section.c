/* Prints the help of a command from the page of this folder, in which some commands have no section. */
#include "cli/cli.h"

int main(int argc, char **argv) {
    help_print(argc > 1 ? argv[1] : NULL, stdout);
    return EXIT_FINE;
}
