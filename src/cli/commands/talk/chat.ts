/* `chat`: talks with the Keyturn that runs, from a terminal, a pipe, or a script. */

import { randomBytes } from 'node:crypto';
import { findDataFolder } from '../../../config/data-folder.ts';
import type { ChannelAdapter } from '../../../contract.ts';
import { type ChatOrder, chatNames, readOrder } from '../../../daemon/local-socket/chats/chat-protocol.ts';
import { localWords } from '../../../daemon/local-socket/words.ts';
import { openStreamLink } from '../../stream-link.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { isOfTool } from '../of-tool.ts';
import { onceListener, sayOnce } from './answer-once.ts';
import { type ChatState, chatHost, newChatState, obeyOrder, takeOpening } from './chat-host.ts';
import { talkWords } from './words.ts';

/** `chat [--name NAME] [--once TEXT]`. */
export async function chat(context: CommandContext): Promise<number> {
  const { program, option, complain, language, asJson } = context;
  const once = option('once');
  if (isOfTool(program.process.env)) {
    complain(talkWords[language].fromTool);
    return exitCodes.failed;
  }
  if (asJson && once === undefined)
    throw new UnansweredError(exitCodes.misused, (reader) => talkWords[reader].jsonNeedsOnce);
  const name = option('name');
  if (name !== undefined && !chatNames.test(name))
    throw new UnansweredError(exitCodes.misused, (reader) => localWords[reader].wrongChatName);
  return once === undefined ? talk(context) : talkOnce(once, context);
}

/** Who shows what the daemon says of itself, and what ends the chat. */
interface Talking {
  readonly state: ChatState;
  readonly heard: (order: ChatOrder) => void;
  /** Tells the person that the daemon has gone, or is back. */
  readonly told: (markdown: string) => void;
  readonly ended: PromiseWithResolvers<number>;
}

/** How long a script waits for a daemon that has gone, in ms. */
const scriptPatience = 60_000;

/** Opens the chat. Orders are heard from now on. */
async function open({ state, heard, told, ended }: Talking, context: CommandContext): Promise<string> {
  const { place, option, language, complain, program } = context;
  const { dataFolder: folder } = await findDataFolder(place);
  const name = option('name');
  let isLost = false;
  await openStreamLink({
    folder,
    language,
    opening: { request: 'chat', params: name === undefined ? {} : { name } },
    // A person sees that it is gone, and leaves; a script would wait for ever.
    ...(isScreen(program.process) && option('once') === undefined ? {} : { patience: scriptPatience }),
    opened(result, link) {
      state.link = link;
      takeOpening(result, state);
      if (isLost) told(talkWords[state.language].isBack);
      isLost = false;
    },
    heard(line) {
      const order = readOrder(line);
      if (order !== undefined) heard(order);
    },
    lost() {
      isLost = true;
      told(talkWords[state.language].isLost);
    },
    refused(error) {
      complain(error.saidIn(language));
      ended.resolve(error.exitCode);
    },
  });
  return folder;
}

async function talk(context: CommandContext): Promise<number> {
  const { program, language } = context;
  const { loaders } = await program.channels();
  const adapter = (await loaders.terminal?.())?.create({});
  if (adapter === undefined) throw new TypeError('there is no terminal among the channels');
  const state = newChatState(language);
  const ended = Promise.withResolvers<number>();
  // What comes before the prompt is there is shown above it.
  const early: ChatOrder[] = [];
  const showing = { show: (order: ChatOrder): void => void early.push(order) };
  const heard = (order: ChatOrder): void => showing.show(order);
  const told = (markdown: string): void => notice(markdown, adapter, program.process);
  const folder = await open({ state, heard, told, ended }, context);
  program.process.once('SIGTERM', () => ended.resolve(exitCodes.done));
  program.process.once('SIGHUP', () => ended.resolve(exitCodes.done));
  const finish = (): void => ended.resolve(state.waiting > 0 ? exitCodes.failed : exitCodes.done);
  await adapter.start(chatHost(state, folder, finish));
  showing.show = (order) => obeyOrder(order, adapter, state);
  if (isScreen(program.process)) told(talkWords[state.language].opened);
  for (const order of early) obeyOrder(order, adapter, state);
  const code = await ended.promise;
  await adapter.stop();
  state.link?.close();
  return code;
}

/** On a screen between the lines of the chat; elsewhere beside the answers. */
function notice(markdown: string, adapter: ChannelAdapter, process: NodeJS.Process): void {
  if (!isScreen(process)) {
    process.stderr.write(`${markdown}\n`);
    return;
  }
  const id = randomBytes(10).toString('hex');
  const here = { channel: 'terminal', chatId: 'local', kind: 'direct' } as const;
  // Of a screen that is gone, its input tells.
  adapter.send(here, { id, kind: 'notice', markdown }).catch(() => {});
}

function isScreen({ stdin, stdout }: NodeJS.Process): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}

async function talkOnce(text: string, context: CommandContext): Promise<number> {
  const state = newChatState(context.language);
  const ended = Promise.withResolvers<number>();
  const listener = onceListener(context, state);
  const said = text === '-' ? await inputOf(context) : text;
  if (said.trim() === '') throw new UnansweredError(exitCodes.misused, (reader) => talkWords[reader].saysNothing);
  await open({ state, heard: listener.heard, told: context.complain, ended }, context);
  const code = await Promise.race([sayOnce(said, listener, { state, context }), ended.promise]);
  state.link?.close();
  return code;
}

/** All of the standard input. */
async function inputOf({ program }: CommandContext): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of program.process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
