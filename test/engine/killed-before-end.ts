import { expect } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { type DaemonSetting, daemonSetting } from '../support/daemon-setting.ts';
import { call } from '../support/scripted-model.ts';
import { waitUntil } from '../support/wait-for.ts';

/** While it is there, no call can end, nor be handed over: as for a process that is killed right before. */
export const deadly = `CREATE TRIGGER dead BEFORE UPDATE ON calls WHEN NEW.state IN ('done', 'awaiting') BEGIN SELECT RAISE(ABORT, 'dead'); END`;

/** Ends the process, which tries to store the end of a call until its time is over. */
export async function stopAmidTries(setting: DaemonSetting): Promise<void> {
  let isStopped = false;
  const stopping = setting.stop().then(() => {
    isStopped = true;
  });
  await waitUntil(() => isStopped, { meanwhile: () => setting.clock.advance(1_000) });
  await stopping;
}

/** A call whose process was killed right before its end, and whose run a person then stops, has done nothing and says so. */
export async function killedAndStopped(
  name: string,
  args: JsonObject,
  { table, config = {} }: { readonly table: string; readonly config?: Readonly<Record<string, unknown>> },
): Promise<void> {
  const executed = Promise.withResolvers<void>();
  const setting = await daemonSetting({
    config,
    crashPoint: (point) => {
      if (point === 'call-executed') executed.resolve();
    },
  });
  const { channel, model } = setting;
  setting.tamper(deadly);
  model.next([call(name, args)]);
  await channel.say('go');
  await executed.promise;
  await stopAmidTries(setting);
  // The stop was stored by a process that could not end the call either.
  setting.tamper(
    `DROP TRIGGER dead; INSERT INTO turns (conversation_id, run_id, principal, seen_seq, created_at, kind, reason, parts, input_tokens, cached_tokens, output_tokens, cost)
     SELECT conversation_id, 'stop1', principal, seen_seq, created_at, 'closing', 'stopped', '[]', 0, 0, 0, 0 FROM turns`,
  );
  await setting.start();
  await channel.ask('and now?', 'and now?');
  expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'done', outcome: 'cancelled' }]);
  expect(setting.rows(`SELECT * FROM ${table}`)).toEqual([]);
  expect(channel.textsIn('test:ada').join()).not.toContain('unknown');
}

/**
 * A call whose process is killed right before its end is done once after the restart. It has left nothing in this table before;
 * left out: it only reads.
 */
export async function killedBeforeEnd(
  name: string,
  args: JsonObject,
  { table, config = {} }: { readonly table?: string; readonly config?: Readonly<Record<string, unknown>> } = {},
): Promise<void> {
  let executed = 0;
  const setting = await daemonSetting({
    config,
    crashPoint: (point) => {
      if (point === 'call-executed') executed += 1;
    },
  });
  const { channel, model } = setting;
  await channel.ask('hi', 'echo: hi');
  setting.tamper(deadly);
  model.next([call(name, args)]);
  await channel.say('go');
  await expect.poll(() => setting.rows('SELECT state FROM calls')).toEqual([{ state: 'begun' }]);
  await expect.poll(() => executed).toBe(1);
  await stopAmidTries(setting);
  const rows = (): readonly unknown[] => (table === undefined ? [] : setting.rows(`SELECT * FROM ${table}`));
  expect(rows()).toEqual([]);
  setting.tamper('DROP TRIGGER dead');
  model.otherwise(() => 'All done.');
  await setting.start();
  await channel.sees('All done.');
  expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'done', outcome: 'success' }]);
  expect(rows()).toHaveLength(table === undefined ? 0 : 1);
  expect(channel.textsIn('test:ada').join()).not.toContain('unknown');
}
