import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { newFolder } from '../support/new-folder.ts';
import { type Recorded, readRecordings, recordingInto } from '../support/power/recording.ts';
import { processesWith } from '../support/processes.ts';
import { SeededRandom } from '../support/random.ts';
import { waitUntil } from '../support/wait-for.ts';
import { answer, kinds, type Task, Traces, wordsOf } from './numbered-tasks.ts';
import { TelegramSetting } from './telegram-setting.ts';

/** What a person did, and the update that told the daemon of it. */
export interface Done extends Task {
  readonly update: number;
  readonly deed: 'said' | 'approved' | 'denied';
}

export interface Restored {
  /** Updates below it are in the backup. */
  readonly below: number;
  /** Updates from it on came after it was put back. */
  readonly from: number;
}

/** What happened while everything was recorded. */
export interface Storm {
  readonly dataFolder: string;
  readonly workspace: string;
  /** What the daemon's config says. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The people who talked, by their chats. */
  readonly chats: readonly number[];
  readonly recorded: readonly Recorded[];
  readonly done: readonly Done[];
  /** The backup that was put back at the end; undefined if none was. */
  readonly restored: Restored | undefined;
}

export interface StormPlan {
  readonly people: number;
  /** How many tasks each person has between two events. */
  readonly tasks: number;
  /** With kills, stops, edits of the config, backups and a restore. */
  readonly isWhole: boolean;
  readonly seed: number;
}

const stormConfig = {
  agent: { max_turns: 10_000, summaries: false },
  approval: { policy: 'require_for_tools', require_for: ['edit_file'] },
};

/** People talk, press and are sent files, while the daemon is killed, stopped, edited, backed up and put back. */
export async function recordStorm(plan: StormPlan, look: (storm: Storm) => Promise<void>): Promise<void> {
  const folder = await newFolder();
  const under = recordingInto(join(folder, 'daemon'));
  await using setting = await TelegramSetting.start({ under, config: stormConfig });
  const storm = new RunningStorm(setting, plan, folder);
  await storm.work();
  if (plan.isWhole) await storm.endure();
  await setting.daemon.stop();
  await look(await storm.over());
}

class RunningStorm {
  readonly #setting: TelegramSetting;
  readonly #plan: StormPlan;
  readonly #folder: string;
  readonly #traces: Traces;
  readonly #people: readonly { readonly chat: number; readonly random: SeededRandom }[];
  readonly #done: Done[] = [];
  #number = 0;
  #restored: Restored | undefined;

  constructor(setting: TelegramSetting, plan: StormPlan, folder: string) {
    this.#setting = setting;
    this.#plan = plan;
    this.#folder = folder;
    this.#traces = new Traces(setting.daemon.workspace);
    this.#people = Array.from({ length: plan.people }, (_, index) => ({
      chat: setting.newOwner(),
      random: new SeededRandom(plan.seed + index),
    }));
    setting.model.otherwise(answer);
  }

  /** Resolves when all that was said is answered. */
  async work(): Promise<void> {
    await Promise.all(
      this.#people.map(async ({ chat, random }) => {
        for (let left = this.#plan.tasks; left > 0; left -= 1) await this.#give(chat, random);
      }),
    );
  }

  async endure(): Promise<void> {
    const { daemon, telegram } = this.#setting;
    const archive = join(this.#folder, 'backup.tar.gz');
    await Promise.all([this.work(), this.#keyturn('backup')]);
    await Promise.all([this.work(), this.#afterMore(() => daemon.kill())]);
    await this.#edit();
    // At rest: what is half done in a backup is done once more when it is put back.
    await this.#setting.allNoted();
    const below = telegram.confirmedOffset;
    await this.#keyturn('backup', archive);
    await daemon.stop();
    await this.#start();
    await this.work();
    await this.#setting.allNoted();
    await daemon.stop();
    await this.#recordersEnd();
    this.#restored = { below, from: telegram.confirmedOffset };
    await this.#keyturn('restore', archive, '--json');
    await this.#start();
    await this.work();
  }

  async over(): Promise<Storm> {
    await this.#recordersEnd();
    const { dataDir, workspace } = this.#setting.daemon;
    const recordings = readdirSync(this.#folder).filter((name) => !name.endsWith('.gz'));
    return {
      dataFolder: dataDir,
      workspace,
      config: stormConfig,
      chats: this.#people.map(({ chat }) => chat),
      recorded: readRecordings(recordings.map((name) => join(this.#folder, name))),
      done: this.#done,
      restored: this.#restored,
    };
  }

  async #give(chat: number, random: SeededRandom): Promise<void> {
    const { telegram } = this.#setting;
    this.#number += 1;
    const task = { number: this.#number, kind: random.pick([...kinds, 'send' as const]) };
    this.#traces.prepare(task);
    const newest = telegram.chat(chat).at(-1)?.id ?? 0;
    const said = telegram.say(chat, wordsOf(task));
    this.#done.push({ ...task, update: said.update_id, deed: 'said' });
    if (task.kind === 'book') {
      const card = await this.#setting.cardAfter(chat, newest);
      const isAllowed = random.chance(0.7);
      const { update } = telegram.press(chat, card.id, isAllowed ? '✅ Approve' : '❌ Deny');
      this.#done.push({ ...task, update: update.update_id, deed: isAllowed ? 'approved' : 'denied' });
    }
    const isAnswered = (words: string): boolean => words.startsWith('answered:') && words.includes(` #${task.number}`);
    await telegram.waitFor(() => this.#setting.said(chat).some(isAnswered), { what: `an answer to ${wordsOf(task)}` });
  }

  /** A while into the work: a kill, and another start. */
  async #afterMore(end: () => Promise<unknown>): Promise<void> {
    const enough = this.#done.length + this.#plan.people * 2;
    await waitUntil(() => this.#done.length >= enough);
    await end();
    await this.#start();
  }

  async #start(): Promise<void> {
    await this.#recordersEnd();
    const before = this.#setting.telegram.polls;
    await this.#setting.daemon.restart();
    await this.#setting.connected(before);
  }

  /** The daemon keeps a copy of the config that works. */
  async #edit(): Promise<void> {
    const { daemon } = this.#setting;
    const kept = (): number => readdirSync(join(daemon.dataDir, 'config-history')).length;
    const before = kept();
    const config = JSON.parse(readFileSync(daemon.configFile, 'utf8'));
    daemon.writeConfig({ ...config, agent: { ...config.agent, max_turns: 9_999 } });
    await waitUntil(() => kept() > before, { what: 'config copied' });
  }

  async #keyturn(...args: readonly string[]): Promise<void> {
    const { folder } = this.#setting.daemon;
    const start = resolve(import.meta.dirname, '../../src/start.js');
    const [program = '', ...under] = recordingInto(join(this.#folder, `keyturn-${this.#done.length}`));
    const child = spawn(program, [...under, process.execPath, start, ...args], {
      env: { PATH: process.env.PATH ?? '', KEYTURN_HOME: folder },
    });
    const [, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    expect([args[0], child.exitCode, stderr]).toEqual([args[0], 0, '']);
  }

  /** All that was done is in the files. */
  async #recordersEnd(): Promise<void> {
    await waitUntil(async () => (await processesWith(this.#folder)).length === 0, { what: 'the end of all recorders' });
  }
}
