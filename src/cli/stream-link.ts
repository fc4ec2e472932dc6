/*
 * A connection with the daemon that stays open, and is made again when the daemon restarts. What was asked and has no answer yet,
 * or only the one that the daemon ends, is asked again then: events have keys, by which the daemon knows those that it has.
 */

import type { Socket } from 'node:net';
import { protocolVersion, readAnswer } from '../daemon/local-socket/protocol.ts';
import { sleep, systemClock } from '../lib/clock.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import type { Language } from '../lib/words.ts';
import { connected, resultOf, triedConnection, withoutAnswer } from './ask-daemon.ts';
import { exitCodes } from './commands/command.ts';
import { UnansweredError } from './unanswered-error.ts';
import { cliWords } from './words.ts';

export interface StreamLink {
  /** Asks, and waits for the answer over restarts of the daemon. Rejects with `UnansweredError` if it is refused. */
  ask(request: string, params: JsonObject): Promise<JsonValue>;
  /** Says something that wants no answer, if the daemon is there. */
  say(request: string, params: JsonObject): void;
  /** Ends the connection. What is not answered stays so. */
  close(): void;
}

export interface LinkParts {
  /** The data folder. */
  readonly folder: string;
  readonly language: Language;
  /** The request that makes the connection a stream. */
  readonly opening: { readonly request: string; readonly params: JsonObject };
  /** What it was answered with, each time. Requests can be made from now on. */
  readonly opened: (result: JsonValue, link: StreamLink) => void;
  /** A line that is no answer. None comes before the opening is answered. */
  readonly heard: (line: string) => void;
  /** The daemon has gone, and is looked for. */
  readonly lost: () => void;
  /** How long the daemon is looked for, in ms. Omitted: until the end. */
  readonly patience?: number;
  /** It came back and refuses, or did not come back in time: nothing more will come. */
  readonly refused: (error: UnansweredError) => void;
}

interface Waiting {
  readonly line: string;
  readonly answered: PromiseWithResolvers<JsonValue>;
}

interface LinkState extends LinkParts {
  readonly waiting: Map<number, Waiting>;
  /** While the stream is open. */
  socket: Socket | undefined;
  count: number;
  isClosed: boolean;
}

/** How long to wait before it is tried again, in ms. */
const pauses = [100, 250, 500, 1000] as const;
/** How long the daemon may take for its first answer, in ms. */
const patience = 10_000;

/** Resolves when the stream is open. Rejects with `UnansweredError` if it cannot be. */
export async function openStreamLink(parts: LinkParts): Promise<StreamLink> {
  const link: LinkState = { ...parts, waiting: new Map(), socket: undefined, count: 0, isClosed: false };
  await open(await connected(parts.folder), link).catch((error: unknown) => {
    link.isClosed = true;
    throw error instanceof UnansweredError ? error : withoutAnswer();
  });
  return handleOf(link);
}

function handleOf(link: LinkState): StreamLink {
  return {
    ask: (request, params) => ask(request, params, link),
    say: (request, params) => void link.socket?.write(lineOf(0, request, params, link)),
    close: () => close(link),
  };
}

function ask(request: string, params: JsonObject, link: LinkState): Promise<JsonValue> {
  link.count += 1;
  const line = lineOf(link.count, request, params, link);
  const answered = Promise.withResolvers<JsonValue>();
  link.waiting.set(link.count, { line, answered });
  link.socket?.write(line);
  return answered.promise;
}

function lineOf(id: number, request: string, params: JsonObject, { language }: LinkState): string {
  return `${JSON.stringify({ v: protocolVersion, id, request, language, params })}\n`;
}

/** Resolves once the daemon has answered the opening. Rejects: with `UnansweredError` if it refuses. */
function open(socket: Socket, link: LinkState): Promise<void> {
  const { request, params } = link.opening;
  const opening = Promise.withResolvers<void>();
  const timer = setTimeout(() => socket.destroy(), patience);
  const early: string[] = [];
  let unread = '';
  socket.setEncoding('utf8');
  // The end comes after it.
  socket.on('error', () => {});
  socket.on('data', (chunk: string) => {
    const lines = `${unread}${chunk}`.split('\n');
    unread = lines.pop() ?? '';
    for (const line of lines) takeLine(line, { socket, opening, timer, early }, link);
  });
  socket.on('close', () => {
    clearTimeout(timer);
    opening.reject(new Error('the daemon has gone'));
    if (link.socket !== socket) return;
    link.socket = undefined;
    if (!link.isClosed) void comeBack(link);
  });
  socket.write(lineOf(0, request, params, link));
  return opening.promise;
}

interface Opening {
  readonly socket: Socket;
  readonly opening: PromiseWithResolvers<void>;
  readonly timer: NodeJS.Timeout;
  /** What was said before the opening was answered: who hears it could not answer yet. */
  readonly early: string[];
}

function takeLine(line: string, { socket, opening, timer, early }: Opening, link: LinkState): void {
  const answer = readAnswer(line);
  if (answer === undefined) {
    if (link.socket === socket) link.heard(line);
    else early.push(line);
    return;
  }
  const isEnding = !answer.ok && answer.code === 'ending';
  if (answer.id !== 0 && !isEnding) {
    settle(answer.id, line, link);
    return;
  }
  clearTimeout(timer);
  // It ends just now, or has a fault that its next process may not have. What waits is asked on the next connection.
  if (isEnding || (!answer.ok && answer.code === 'fault')) {
    socket.destroy();
    return;
  }
  try {
    const result = resultOf(line);
    link.socket = socket;
    link.opened(result, handleOf(link));
    for (const said of early.splice(0)) link.heard(said);
    for (const { line: asked } of link.waiting.values()) socket.write(asked);
    opening.resolve();
  } catch (error) {
    opening.reject(error);
    socket.destroy();
  }
}

function settle(id: number, line: string, { waiting }: LinkState): void {
  const asked = waiting.get(id);
  waiting.delete(id);
  try {
    asked?.answered.resolve(resultOf(line));
  } catch (error) {
    asked?.answered.reject(error);
  }
}

async function comeBack(link: LinkState): Promise<void> {
  const { patience: longest = Number.POSITIVE_INFINITY, folder } = link;
  const since = systemClock.now();
  link.lost();
  for (let tries = 0; !link.isClosed && link.socket === undefined; tries += 1) {
    await sleep(systemClock, pauses[tries] ?? 1000);
    if (link.isClosed) return;
    if (systemClock.now() - since > longest) {
      link.refused(new UnansweredError(exitCodes.notRunning, (language) => cliWords[language].notRunning({ folder })));
      return;
    }
    try {
      await open(await triedConnection(folder), link);
    } catch (error) {
      if (!(error instanceof UnansweredError)) continue;
      link.refused(error);
      return;
    }
  }
}

function close(link: LinkState): void {
  link.isClosed = true;
  link.socket?.end();
}
