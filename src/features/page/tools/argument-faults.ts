import type { ArgumentFault } from '../wire/tools.ts';

/** What a tool says of its arguments, by where in them: `- files[0].path: expected a string`. */
export function faultsIn(message: string): readonly ArgumentFault[] {
  const lines = message.split('\n').filter((line) => line.startsWith('- '));
  if (lines.length === 0) return [{ path: [], message }];
  return lines.map((line) => {
    const [, place, text] = /^- ((?:[\w$-]+|\[\d+\]|\.)+): (.*)$/s.exec(line) ?? [];
    if (place === undefined || text === undefined) return { path: [], message: line.slice('- '.length) };
    return { path: place.split(/[.[\]]+/).filter(Boolean), message: text };
  });
}
