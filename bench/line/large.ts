import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { begin, type Figures, inTurn, quantile, started, timed } from './measuring.ts';
import { onStand, type Row } from './row.ts';
import type { Stand } from './stand.ts';
import type { Subject } from './subjects.ts';

/** Where much is stored, or much is configured. What is large is compared with what is small. */
export const largeRows: readonly Row[] = [
  ...[10, 10_000, 100_000].map((chats) => storedRow(`stored-${chats}`, `${chats} conversations are stored`, chats, 10)),
  storedRow('stored-1gb', 'a database of 1 GB: 100,000 conversations of three messages of 3 KB', 100_000, 3_000),
  ...[10, 300, 1000].map((tools) => toolsRow(tools)),
];

function storedRow(name: string, about: string, chats: number, bytes: number): Row {
  const measure = (subject: Subject): Promise<Figures> => onStand(subject, (stand) => withStored(stand, chats, bytes));
  return { name, about, rounds: 2, of: ['keyturn'], measure };
}

function toolsRow(tools: number): Row {
  const custom_tools = Array.from({ length: tools }, (_, tool) => ({
    name: `tool_${tool}`,
    description: `Looks into the drawer number ${tool} of the cupboard, and says what lies in it.`,
    command: 'true',
    category: 'filesystem_read',
    parameters: { what: 'string' },
  }));
  const measure = (subject: Subject): Promise<Figures> => onStand(subject, withMuch, { config: { custom_tools } });
  return { name: `tools-${tools}`, about: `${tools} custom tools`, rounds: 2, of: ['keyturn'], measure };
}

async function withStored(stand: Stand, chats: number, bytes: number): Promise<Figures> {
  // What is stored is made of what one chat leaves, whatever the schema is.
  await begin(stand);
  await inTurn(stand, 2);
  await stand.stop();
  const database = join(stand.folder, 'data', 'keyturn.db');
  const script = join(import.meta.dirname, 'fill-database.js');
  const { status, stderr } = spawnSync(process.execPath, [script, database, `${chats}`, `${bytes}`], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The database could not be filled:\n${stderr}`);
  return { ...(await withMuch(stand)), 'database MB': statSync(database).size / 2 ** 20 };
}

async function withMuch(stand: Stand): Promise<Figures> {
  const begun = await started(stand);
  await inTurn(stand, 30);
  const messages = 100;
  const { bytes } = stand.model;
  const { result, processor } = await timed(stand, () => inTurn(stand, messages));
  return {
    ...begun,
    'p50 ms': quantile(result, 0.5),
    'processor ms/message': processor / messages,
    'KB to the model': (stand.model.bytes - bytes) / messages / 1024,
    'Pss MB': stand.memory.pss,
  };
}
