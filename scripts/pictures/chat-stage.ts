import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Language } from '../../src/lib/words.ts';
import type { DaemonProcess } from '../../test/support/daemon-process.ts';
import { closeServer, listenOnLoopback } from '../../test/support/loopback.ts';
import type { ModelServer } from '../../test/support/model-server.ts';
import { openProxy } from '../../test/support/proxy-server.ts';
import type { Found } from '../../test/support/wait-for.ts';
import { linesIn, type Platform, type Shot, type Stage } from './card-scenes.ts';

/** A message of the bot in Ada's chat, as it is shown now. */
export interface Seen {
  readonly id: string;
  /** What its buttons do, from left to right and from top to bottom. */
  readonly actions: readonly string[];
  /** Only what everybody reads. */
  readonly shown: string;
  html(isUnfolded: boolean): string;
}

/** What is not the same on every platform. */
export interface Chat {
  readonly platform: Platform;
  /** How the model addresses the team's chat. */
  readonly team: string;
  /** What the bot shows Ada, the oldest first. */
  seen(): readonly Seen[];
  say(text: string): void;
  press(id: string, action: string): void;
  waitFor<T>(look: () => T): Promise<Found<T>>;
  /** What a press of "Show everything" shows Ada alone; undefined where the message folds. */
  readonly unfold: ((id: string, action: string) => Promise<string>) | undefined;
  meetStranger(): void;
  joinGroup(): void;
}

interface ChatSetting {
  readonly model: ModelServer;
  readonly daemon: DaemonProcess;
  allNoted(): Promise<void>;
  dispose(): Promise<void>;
}

/** A stage in a chat. Takes over the setting. */
export function chatStage(chat: Chat, setting: ChatSetting, closeWeb: () => Promise<void>): Stage {
  const { model, daemon, allNoted } = setting;
  let last = '';

  /** The card that follows what is done. */
  async function cardAfter(act: () => void): Promise<Shot> {
    const before = new Set(chat.seen().map(({ id }) => id));
    act();
    const card = await chat.waitFor(() => chat.seen().find(({ id, actions }) => !before.has(id) && actions.length > 0));
    last = card.id;
    return shown();
  }

  async function shown(isUnfolded = false): Promise<Shot> {
    await allNoted();
    const { shown: text, html } = found();
    return { html: html(isUnfolded), text };
  }

  function found(): Seen {
    const card = chat.seen().find(({ id }) => id === last);
    if (card === undefined) throw new Error('The card is gone.');
    return card;
  }

  function actionOf(end: string): string {
    const action = found().actions.find((one) => one.endsWith(end));
    if (action === undefined) throw new Error(`No button ends with "${end}": ${found().actions.join(', ')}`);
    return action;
  }

  return {
    platform: chat.platform,
    model,
    workspace: daemon.workspace,
    team: chat.team,
    ask: (text) => cardAfter(() => chat.say(text)),

    async answer({ action }) {
      const before = chat.seen().length;
      chat.press(last, actionOf(action));
      await chat.waitFor(() => found().actions.length === 0);
      // Then the model goes on, and answers.
      await chat.waitFor(() => chat.seen().length > before || undefined);
      return shown();
    },

    async unfold() {
      if (chat.unfold === undefined) return shown(true);
      const html = await chat.unfold(last, actionOf(':v'));
      return { html, text: '' };
    },

    meetStranger: () => cardAfter(chat.meetStranger),
    joinGroup: () => cardAfter(chat.joinGroup),
    hurry: () => hurry(daemon),

    async expired() {
      await chat.waitFor(() => found().actions.length === 0);
      return shown();
    },

    async [Symbol.asyncDispose]() {
      await setting.dispose();
      await closeWeb();
    },
  };
}

const hurriedSeconds = 4;

async function hurry(daemon: DaemonProcess): Promise<void> {
  const config = withHurry(await readFile(daemon.configFile, 'utf8'));
  daemon.writeConfig(config);
  await daemon.waitForOutput('the config was edited, and is in force');
}

/** The same config with little time to decide. */
export function withHurry(config: string): Readonly<Record<string, unknown>> {
  return { ...JSON.parse(config), approval: { timeout_secs: hurriedSeconds } };
}

/** What all settings say in their config, and a web that only they know, where example.com has a page. */
export async function webOf(language: Language) {
  const page = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(linesIn(language).page);
  });
  const proxy = await openProxy({ hosts: { 'example.com': await listenOnLoopback(page) } });
  return {
    config: { language, tools: { shell: { sandbox: 'off' } }, network: { proxy: proxy.url } },
    async close() {
      await proxy[Symbol.asyncDispose]();
      await closeServer(page);
    },
  } as const;
}
