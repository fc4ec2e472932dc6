import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../support/new-folder.ts';
import { rowsOf } from '../support/store-setting.ts';
import { waitUntil } from '../support/wait-for.ts';
import { answer, wordsOf } from './numbered-tasks.ts';
import type { Promised } from './power-promises.ts';
import type { Storm } from './power-storm.ts';
import { TelegramSetting } from './telegram-setting.ts';

const unfinished = `SELECT id FROM calls WHERE state IN ('ready', 'begun')
  UNION ALL SELECT id FROM outbox WHERE revision > delivered_revision AND state <> 'abandoned'`;

/**
 * Starts the daemon with what a power failure has left, and waits until it has answered, and ended what was begun. The tasks
 * that it carried out once more.
 */
export async function doneTwice(storm: Storm, dataFolder: string, promised: Promised): Promise<readonly string[]> {
  const workspace = await workspaceWith(storm, promised);
  await using setting = await TelegramSetting.start({
    config: { ...storm.config, data_dir: dataFolder, workspace },
    prepare: (telegram) => {
      for (const chat of storm.chats) telegram.addChat(chat);
    },
  });
  const { telegram, daemon, model } = setting;
  model.otherwise(answer);
  await setting.connected();
  // Of a chat of the storm, this platform would give a message the same number as one that is known there.
  const [stranger = 0] = storm.chats
    .concat(0)
    .map(() => setting.newOwner())
    .slice(-1);
  telegram.say(stranger, 'are you there?');
  await telegram.waitFor(() => setting.said(stranger).length > 0, { what: 'an answer after a power failure' });
  const file = join(dataFolder, 'keyturn.db');
  await waitUntil(() => rowsOf(file, unfinished).length === 0, { what: 'the end of what was begun' });
  await daemon.stop();
  const ledger = readFileSync(join(workspace, 'ledger.txt'), 'utf8').split('\n').filter(Boolean);
  const said = storm.done.filter(({ deed }) => deed === 'said');
  return said.filter((task) => timesDone(task, ledger, workspace) > 1).map(wordsOf);
}

function timesDone({ number, kind }: Storm['done'][number], ledger: readonly string[], workspace: string): number {
  if (kind === 'note') return ledger.filter((line) => line === String(number)).length;
  return kind === 'book' ? readFileSync(join(workspace, 'book', `${number}.txt`), 'utf8').length - 1 : 0;
}

/** The workspace as it was at that moment. */
async function workspaceWith({ done }: Storm, { effects }: Promised): Promise<string> {
  const workspace = await newFolder();
  mkdirSync(join(workspace, 'book'));
  const tasks = done.filter(({ deed }) => deed === 'said');
  const noted = tasks.filter(({ kind, number }) => kind === 'note' && effects.has(number));
  writeFileSync(join(workspace, 'ledger.txt'), noted.map(({ number }) => `${number}\n`).join(''));
  for (const { number, kind } of tasks)
    if (kind === 'book' || kind === 'send')
      writeFileSync(join(workspace, 'book', `${number}.txt`), kind === 'book' && effects.has(number) ? '01' : '0');
  return workspace;
}
