/*
 * `demo`: a story with a real process that is killed. What it tells is checked as it happens: a demo that did not go as told fails.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownCommand } from '../../../lib/own-command.ts';
import { messageOf } from '../../../lib/plain-text.ts';
import type { Language } from '../../../lib/words.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { createDemoDaemon, type DemoDaemon } from './demo-daemon.ts';
import { makeDemoFolder, removeDemoFolder } from './demo-folder.ts';
import { openPhone, type Phone, type PhoneMessage, person } from './fake-telegram.ts';
import { createPace, DemoEnded, type Pace } from './pace.ts';
import { phoneText } from './phone.ts';
import { demoWords } from './words.ts';

interface Stage {
  readonly phone: Phone;
  readonly daemon: DemoDaemon;
  readonly pace: Pace;
  readonly ended: AbortSignal;
  readonly say: (typeof demoWords)[Language];
  readonly print: CommandContext['print'];
}

export async function demo({ program, language, isOn, print, complain }: CommandContext): Promise<number> {
  const { process } = program;
  const say = demoWords[language];
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort());
  const folder = makeDemoFolder();
  const phone = await openPhone();
  const daemon = createDemoDaemon({ folder, language, root: phone.root, token: phone.token, owner: person }, process);
  // Also if its reader, such as `head`, or its terminal is gone.
  process.once('exit', () => {
    daemon.endNow();
    removeDemoFolder(folder);
  });
  const pace = createPace({ process, isFast: isOn('fast'), prompt: say.anyKey, ended: ending.signal });
  try {
    await tell({ phone, daemon, pace, ended: ending.signal, say, print });
    print(`\n${say.end}\n\n${say.next({ program: ownCommand() })}`);
    return exitCodes.done;
  } catch (error) {
    complain(error instanceof DemoEnded ? say.stopped : say.failed({ what: messageOf(error) }));
    return exitCodes.failed;
  } finally {
    await daemon.kill();
    await phone.close();
    pace.end();
  }
}

async function tell(stage: Stage): Promise<void> {
  const { say, print } = stage;
  print(say.intro);
  await next(stage);
  const first = await started(stage);
  print(say.starts({ pid: first }));
  await next(stage);
  const { card, approve } = await asked(stage);
  await next(stage);
  await killed(first, stage);
  await next(stage);
  print(say.startsAgain({ pid: await started(stage) }));
  await next(stage);
  await pressed(card, approve, stage);
  await next(stage);
  await pressedAgain(card, approve, stage);
}

async function next({ pace, print, ended }: Stage): Promise<void> {
  await pace.wait();
  if (ended.aborted) throw new DemoEnded();
  print('');
}

/** Resolves with the process once it hears what is written. */
async function started(stage: Stage): Promise<number> {
  const { daemon, phone } = stage;
  const pid = daemon.start();
  await shown(() => phone.isHeard(), stage);
  return pid;
}

/** Waits for something, as long as the process runs and the person watches. */
async function shown<Found>(look: () => Found | undefined | false, { phone, daemon, ended }: Stage): Promise<Found> {
  const stopped = Promise.withResolvers<never>();
  const stop = (): void => stopped.reject(new DemoEnded());
  ended.addEventListener('abort', stop, { once: true });
  if (ended.aborted) stop();
  const found = phone.waitFor(look);
  const failed = daemon.failed();
  // Only the first of them counts.
  for (const late of [found, failed]) late.catch(() => {});
  try {
    return await Promise.race([found, failed, stopped.promise]);
  } finally {
    ended.removeEventListener('abort', stop);
  }
}

interface AskedCard {
  readonly card: PhoneMessage;
  /** What the button sends that says yes. */
  readonly approve: string;
}

async function asked(stage: Stage): Promise<AskedCard> {
  const { phone, say, print } = stage;
  print(say.writes);
  phone.say(say.order);
  const card = await shown(() => phone.messages().find(({ from, rows }) => from === 'bot' && rows.length > 0), stage);
  show(stage);
  if (existsSync(ordersOf(stage))) throw new Error(say.wrongs.ranEarly);
  print(say.nothingYet);
  return { card, approve: card.data[0] ?? '' };
}

async function killed(pid: number, stage: Stage): Promise<void> {
  const { daemon, say, print } = stage;
  if ((await daemon.kill()) !== 'SIGKILL') throw new Error(say.wrongs.notKilled);
  print(say.killed({ pid }));
  show(stage);
  print(say.stands);
}

async function pressed(card: PhoneMessage, approve: string, stage: Stage): Promise<void> {
  const { phone, say, print } = stage;
  print(say.presses);
  // What it shows tells whether it was taken.
  phone.press(card, approve).catch(() => {});
  await shown(() => isDone(card, stage), stage);
  show(stage);
  checkOrders(stage);
  print(`${say.ran}\n    ${linesOf(stage).join('\n    ')}`);
}

/** The command has run, the card says so, and the answer stands below it. What shows a tool at work may come before. */
function isDone(card: PhoneMessage, stage: Stage): boolean {
  const messages = stage.phone.messages().filter(({ from, rows }) => from === 'bot' && rows.length === 0);
  const isDecided = messages.some(({ id }) => id === card.id);
  return linesOf(stage).length > 0 && isDecided && messages.some(({ id }) => id > card.id);
}

async function pressedAgain(card: PhoneMessage, approve: string, stage: Stage): Promise<void> {
  const { phone, say, print } = stage;
  print(say.pressesAgain);
  const text = await phone.press(card, approve);
  print(say.answered({ text }));
  checkOrders(stage);
  print(say.once({ lines: linesOf(stage).length }));
}

function show({ phone, print }: Stage): void {
  print(phoneText(phone.messages()));
}

function checkOrders(stage: Stage): void {
  if (linesOf(stage).length !== 1) throw new Error(stage.say.wrongs.ranTwice);
}

function linesOf(stage: Stage): readonly string[] {
  const file = ordersOf(stage);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

function ordersOf({ daemon }: Stage): string {
  return join(daemon.workspace, 'orders.txt');
}
