/* Asks the running daemon something, over the socket in its data folder. */

import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { findDataFolder } from '../config/data-folder.ts';
import { longestRequest, protocolVersion, readAnswer } from '../daemon/local-socket/protocol.ts';
import { socketAddress, socketName } from '../daemon/local-socket/socket-place.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import type { Language } from '../lib/words.ts';
import { type CommandContext, exitCodes } from './commands/command.ts';
import { UnansweredError } from './unanswered-error.ts';
import { cliWords } from './words.ts';

/** How long an answer may take, in ms. */
const patience = 10_000;
/** The longest answer, in UTF-16 units. */
const longestAnswer = 16 * 2 ** 20;

/** What is asked, and which fields its answer must have for this program to read it. */
export interface Asked<Facts extends object> {
  readonly request: string;
  readonly params?: JsonObject;
  readonly fields: readonly (keyof Facts & string)[];
  /** Where it works. Default: where the config says now. */
  readonly dataFolder?: string;
}

/** The result of a request. Rejects with `UnansweredError`. */
export async function askDaemon<Facts extends object>(
  { place, language }: Pick<CommandContext, 'place' | 'language'>,
  { request, params = {}, fields, dataFolder = '' }: Asked<Facts>,
): Promise<Facts> {
  const folder = dataFolder === '' ? (await findDataFolder(place)).dataFolder : dataFolder;
  const socket = await connected(folder);
  try {
    const line = JSON.stringify({ v: protocolVersion, id: 1, request, language, params });
    if (Buffer.byteLength(line) > longestRequest) throw unanswered((say) => say.tooMuch);
    socket.write(`${line}\n`);
    const result = resultOf(await firstLine(socket));
    if (hasFields<Facts>(result, fields)) return result;
    throw unanswered((say) => say.otherDaemon);
  } finally {
    socket.destroy();
  }
}

/** The daemon is of the same project: its answer is what its version of the protocol promises. */
export function hasFields<Facts extends object>(
  value: unknown,
  fields: readonly (keyof Facts & string)[],
): value is Facts {
  return isJsonObject(value) && fields.every((field) => Object.hasOwn(value, field));
}

/** What a line of the daemon answers. Throws `UnansweredError`. */
export function resultOf(line: string): JsonValue {
  const answer = readAnswer(line);
  if (answer === undefined) throw withoutAnswer();
  if (answer.ok) return answer.result;
  const { code, reason } = answer;
  if (code !== 'refused' && code !== 'other-version' && code !== 'unknown-request') throw withoutAnswer();
  const isOther = code === 'other-version' || code === 'unknown-request';
  throw new UnansweredError(exitCodes.failed, (language) => (isOther ? cliWords[language].otherDaemon : reason));
}

/** A connection with the daemon that has this data folder. Rejects with `UnansweredError`, which says why there is none. */
export async function connected(folder: string): Promise<Socket> {
  try {
    return await triedConnection(folder);
  } catch (error) {
    throw await whyUnreached(folder, error);
  }
}

/** The same for one try of several: it rejects with what the system says. */
export async function triedConnection(folder: string): Promise<Socket> {
  const address = existsSync(folder) ? socketAddress(folder, socketName) : undefined;
  if (address === undefined) throw new Error('there is no data folder');
  try {
    return await new Promise<Socket>((resolve, reject) => {
      const socket = connect(address.path, () => resolve(socket));
      socket.once('error', reject);
    });
  } finally {
    address.release();
  }
}

/** Resolves with the first line that comes. */
async function firstLine(socket: Socket): Promise<string> {
  socket.setEncoding('utf8');
  socket.setTimeout(patience, () => socket.destroy(new Error('it took too long')));
  let read = '';
  try {
    for await (const chunk of socket) {
      read += String(chunk);
      const end = read.indexOf('\n');
      if (end !== -1) return read.slice(0, end);
      if (read.length > longestAnswer) break;
    }
  } catch (error) {
    throw unanswered((say) => say.noAnswer({ why: error instanceof Error ? error.message : undefined }), error);
  }
  throw withoutAnswer();
}

/** A process that works with the data but cannot be reached is another matter than none. */
async function whyUnreached(folder: string, error: unknown): Promise<UnansweredError> {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EACCES' || code === 'EPERM') return unanswered((say) => say.othersSocket({ folder }), error);
  const file = join(folder, socketName);
  // Loads the database, so only now.
  const { isDataLocked } = await import('../store/examine.ts');
  if (existsSync(folder) && isLocked(folder, isDataLocked))
    return unanswered((say) => say.unreachable({ file }), error);
  return new UnansweredError(exitCodes.notRunning, (language) => cliWords[language].notRunning({ folder }), error);
}

function isLocked(folder: string, look: (folder: string) => boolean): boolean {
  try {
    return look(folder);
  } catch {
    // A folder that cannot be read: what is said about the socket is right for that, too.
    return false;
  }
}

/** The daemon has gone before it answered. */
export function withoutAnswer(): UnansweredError {
  return unanswered((say) => say.noAnswer({ why: undefined }));
}

function unanswered(words: (say: (typeof cliWords)[Language]) => string, cause?: unknown): UnansweredError {
  return new UnansweredError(exitCodes.failed, (language) => words(cliWords[language]), cause);
}
