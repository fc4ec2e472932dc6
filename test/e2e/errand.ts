import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import type { ModelServer } from '../support/model-server.ts';
import type { ShownMessage } from '../support/telegram/chats.ts';
import type { Press } from '../support/telegram-server.ts';
import { waitUntil } from '../support/wait-for.ts';
import { approvalIdOf, TelegramSetting, type TelegramSettingOptions } from './telegram-setting.ts';

/** How often the model is asked for an errand that nothing disturbs: for the reading, for the writing, for the answer. */
export const errandRequests = 3;

const copy = 'the only line of the copy\n';

/**
 * One person's errand, and the daemon that does it although it dies on the way: a file is read without asking, then
 * another is written and a line is added to a ledger, each after an approval, and then all of it is reported.
 */
export class Errand {
  readonly setting: TelegramSetting;
  readonly chat: number;
  readonly #plan: readonly string[];

  private constructor(setting: TelegramSetting, plan: readonly string[]) {
    this.setting = setting;
    this.chat = setting.newOwner();
    this.#plan = plan;
  }

  /** A daemon that dies at these points, one after the other, each time it was started. */
  static async start(plan: readonly string[], options: TelegramSettingOptions = {}): Promise<Errand> {
    const config = { agent: { last_try_after_secs: 1 }, ...options.config };
    const setting = await TelegramSetting.start({ ...options, config, crashAt: plan.join(' ') });
    writeFileSync(join(setting.daemon.workspace, 'notes.txt'), 'the note to copy\n');
    script(setting.model);
    return new Errand(setting, plan);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.setting.dispose();
  }

  /** Starts the daemon again after each of its deaths. Resolves with the last start. */
  async revive(): Promise<void> {
    for (const index of this.#plan.keys()) {
      await this.died(index + 1);
      await this.setting.daemon.restart();
    }
  }

  /** Resolves when the process has died that often, each time where the plan says. */
  async died(times: number): Promise<void> {
    const { daemon } = this.setting;
    await waitUntil(() => this.deaths().length >= times, {
      what: `the death at ${this.#plan[times - 1]}`,
      describe: () => `${daemon.output}\n${JSON.stringify(this.setting.said(this.chat), null, 1)}`,
    });
    expect(await daemon.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(this.deaths()).toEqual(this.#plan.slice(0, times).map((step) => step.split(':')[0]));
  }

  deaths(): readonly string[] {
    return linesOf(join(this.setting.daemon.folder, 'crashes'));
  }

  begin(): void {
    this.setting.telegram.say(this.chat, 'please copy the note');
  }

  /**
   * The oldest card of each approval, once there are two and the daemon has noted them down: from then on, no death makes
   * it show them again.
   */
  async cards(): Promise<readonly [ShownMessage, ShownMessage]> {
    const { telegram } = this.setting;
    const find = (): readonly ShownMessage[] => {
      const asking = telegram.chat(this.chat).filter(({ buttons }) => buttons.length > 0);
      const ids = asking.map(approvalIdOf);
      return asking.filter((_, index) => ids.indexOf(ids[index] ?? '') === index);
    };
    await telegram.waitFor(() => find().length === 2, { what: 'two cards' });
    await this.#noted();
    const [writing, ledger] = find();
    if (writing === undefined || ledger === undefined) throw new Error('A card has gone.');
    return [writing, ledger];
  }

  approve(card: ShownMessage): Press {
    return this.setting.telegram.press(this.chat, card.id, '✅ Approve');
  }

  /** Waits for the report, and lets the person go on: what was left behind would be seen then. */
  async end(): Promise<void> {
    const { telegram, model } = this.setting;
    await telegram.waitForMessage(this.chat, 'Finished:');
    const asked = model.requests.length;
    telegram.say(this.chat, 'and now?');
    await telegram.waitForMessage(this.chat, 'echo: and now?');
    expect(model.requests).toHaveLength(asked + 1);
  }

  /** How often the bot has said something with these words. */
  countSaid(words: string): number {
    return this.setting.said(this.chat).filter((text) => text.includes(words)).length;
  }

  /** What the card of the call shows that names this file. */
  decidedCard(file: string): string | undefined {
    return this.setting.said(this.chat).find((text) => text.startsWith('✅ Approved') && text.includes(file));
  }

  /** What the model was told of the writing and of the ledger. */
  results(): readonly string[] {
    return this.setting.model.requests.findLast(({ lastResults }) => lastResults.length === 2)?.lastResults ?? [];
  }

  isWritten(): boolean {
    const file = join(this.setting.daemon.workspace, 'copy.txt');
    return existsSync(file) && readFileSync(file, 'utf8') === copy;
  }

  ledger(): readonly string[] {
    return linesOf(join(this.setting.daemon.workspace, 'ledger.txt'));
  }

  async #noted(): Promise<void> {
    const count = z.object({ count: z.number() });
    const sql = `SELECT count(*) AS count FROM outbox WHERE state = 'queued'`;
    const isNoted = (): boolean => this.setting.rows(count, sql)[0]?.count === 0;
    await waitUntil(isNoted, { what: 'the note that the cards are shown' });
  }
}

function script(model: ModelServer): void {
  model
    .onUser('please copy the note', { calls: [{ name: 'read_file', arguments: { path: 'notes.txt' } }] })
    .onResult('the note to copy', {
      text: 'I will write it down.',
      calls: [
        { name: 'write_file', arguments: { path: 'copy.txt', content: copy } },
        { name: 'shell', arguments: { command: 'echo unique >> ledger.txt' } },
      ],
    })
    .onResult(/./, ({ lastResults }) => `Finished: ${lastResults.map((result) => result.split('\n')[0]).join(' | ')}`);
}

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}
