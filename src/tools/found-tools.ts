/** What an answer of `find_tools` begins with. The transcript keeps it, so each process knows what was found. */

/** The builtin tool that finds and describes the others. */
export const finderName = 'find_tools';

const start = 'Found: ';

/** The first line of the answer. Tools' names cannot contain what separates them. */
export function foundLine(names: readonly string[]): string {
  return `${start}${names.join(', ')}.`;
}

/** The names in the first line of an answer; none if it has no such line. */
export function foundNames(answer: string): readonly string[] {
  const [line = ''] = answer.split('\n', 1);
  if (!line.startsWith(start) || !line.endsWith('.')) return [];
  return line.slice(start.length, -1).split(', ');
}
