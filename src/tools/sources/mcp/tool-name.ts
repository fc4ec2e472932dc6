import { createHash } from 'node:crypto';

/** Names longer than that are taken by no model. */
const longestName = 64;

/**
 * What the model calls a tool of a server: `server_tool`. The same at every start, as long as the operator's servers are
 * called the same. Where that would be no name for a model, or could be a tool of another one of the servers, a part that is
 * made of both names stands at its end.
 */
export function toolName(server: string, tool: string, servers: readonly string[]): string {
  const plain = `${server}_${tool}`;
  const isSafe = /^[a-zA-Z0-9_-]+$/.test(plain) && plain.length <= longestName && !markAtEnd.test(plain);
  // Of `a` and `a_b`, both could have an `a_b_c`.
  const isAmbiguous = servers.some((other) => other !== server && server.startsWith(`${other}_`));
  return isSafe && !isAmbiguous ? plain : markedName(server, tool);
}

/** The same with the part at its end, for where the plain one is taken. */
export function markedName(server: string, tool: string): string {
  const mark = createHash('sha256').update(`${server}/${tool}`).digest('hex').slice(0, markLength);
  const plain = `${server}_${tool}`.replaceAll(/[^a-zA-Z0-9_-]+/g, '_');
  return `${plain.slice(0, longestName - markLength - 1)}_${mark}`;
}

const markLength = 8;
/** Whoever is called so by himself is marked, too. */
const markAtEnd = /_[0-9a-f]{8}$/;
