import { once } from 'node:events';
import { connect } from 'node:net';
import { parseJson } from '../../src/lib/json.ts';

/** Writes to a socket what is given, and resolves with the lines that come back, so many as are wanted or all until it ends. */
export async function askSocket(path: string, written: string, wanted = 1): Promise<readonly unknown[]> {
  const socket = connect(path);
  await once(socket, 'connect');
  socket.setEncoding('utf8');
  socket.write(written);
  let read = '';
  for await (const chunk of socket) {
    read += String(chunk);
    if (read.split('\n').length > wanted) break;
  }
  socket.destroy();
  return read
    .split('\n')
    .filter((line) => line !== '')
    .map(parseJson);
}

/** A request as a line. */
export function requestLine(request: string, params: object = {}, more: object = {}): string {
  return `${JSON.stringify({ v: 1, id: 1, request, language: 'en', params, ...more })}\n`;
}
