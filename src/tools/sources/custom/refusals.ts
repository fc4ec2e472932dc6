/**
 * Why a placeholder can't stand where it does, and what to write instead. Each goes on after the placeholder itself. What
 * stands there would not be one piece of data, but a part of a program.
 */
export const refusals = {
  program: 'stands where a program is named: a value must not choose what runs. Name the program in the command.',
  name: 'stands where a name is expected. Write the name itself; a value can only be an argument.',
  arithmetic:
    "stands in arithmetic, where a value would be run as code. Have a program compute: awk -v n={{x}} 'BEGIN { print n + 1 }'.",
  test: 'stands in [[ … ]], where a value can be run as code. Write [ "{{x}}" = … ] instead.',
  parameter: 'stands inside braces that begin with a dollar. Set a variable before, as x={{x}}, and use that.',
  list: 'stands in a list in parentheses, which sh does not have. Write it as an argument.',
  powerfulVariable: 'sets a variable by which other programs are run. Set it to a fixed value, in "env".',
  descriptor: 'stands where the number of a file descriptor is expected. Write the number itself.',
  pattern: 'stands inside a pattern, or a list in braces. Write it outside of the brackets.',
  dollarQuotes: 'stands in $\'…\' or $"…", which shells read differently. Write plain double quotes.',
  backticks: 'stands in backticks together with backslashes. Write $(…) instead of the backticks.',
  backslash: 'has a backslash before it. Leave it out: a value needs none.',
  dollar: 'has a "$" before it, which would make a variable of it. Write \\$ for the character.',
  tooDeep: 'stands in a command that is too long or too deep to be read. Put it into a script file, and run that.',
  unread: 'stands where nothing is run, as in a comment. Take it out.',
} as const;
