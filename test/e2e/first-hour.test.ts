import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { AnswerPart } from '../../src/models/language-model.ts';
import { firstSentences, moreSentences } from '../models/offline/first-sentences.ts';
import { kindOf } from '../models/offline/kind-of.ts';
import { newFolder } from '../support/new-folder.ts';
import { runMain } from './run-main.ts';

/** What asks: a person says yes. */
const asking = ['write_file', 'shell'];
/** Nothing is fetched where nobody listens, and a command may fail. */
const failing = ['web_fetch', 'shell'];
const parts = z.string().transform((text): readonly AnswerPart[] => JSON.parse(text));
const answer = z.object({ text: z.string(), parts });
const call = z.object({ name: z.string(), outcome: z.string(), result: z.string() });

/** What each message of a person was first answered with, in their order, and how the calls of tools ended. */
function storedIn(dataFolder: string) {
  const database = new Sqlite(join(dataFolder, 'keyturn.db'), { readonly: true });
  const answers = database
    .prepare(
      `SELECT inbox.text, turns.parts FROM turns JOIN inbox ON inbox.seq = turns.seen_seq
       WHERE turns.id IN (SELECT MIN(id) FROM turns WHERE kind = 'turn' GROUP BY run_id) ORDER BY turns.id`,
    )
    .all();
  const failed = database.prepare(`SELECT name, outcome, result FROM calls WHERE outcome <> 'success'`).all();
  const replies = database.prepare(`SELECT 1 FROM outbox WHERE kind = 'reply' AND state = 'delivered'`).all();
  database.close();
  return { answers: answers.map((row) => answer.parse(row)), failed: z.array(call).parse(failed), replies };
}

test.each([
  ['first sentences', firstSentences],
  ['more sentences', moreSentences],
])(
  'somebody without a model says the %s, in both languages, to the process: each is understood, and what it does is done',
  async (_, sentences) => {
    const dataFolder = join(await newFolder(), 'data');
    // What one sentence has read or offered says nothing to the next.
    const lines = sentences.flatMap(([sentence, kind]) => [sentence, ...(asking.includes(kind) ? ['y'] : []), '/new']);
    const { code, stdout } = await runMain({
      files: { 'config.json': JSON.stringify({ model: 'offline', data_dir: dataFolder }) },
      input: `${lines.join('\n')}\n`,
      env: { HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9' },
    });
    expect(code).toBe(0);
    const { answers, failed, replies } = storedIn(dataFolder);
    // A yes that nothing has asked for would stand among them.
    expect(answers.map((one) => [one.text, kindOf(one.text, one.parts)])).toEqual(sentences);
    expect(failed.filter(({ name, outcome }) => outcome !== 'error' || !failing.includes(name))).toEqual([]);
    expect(replies).toHaveLength(sentences.length);
    for (const part of answers.flatMap((one) => one.parts))
      if (part.type === 'text') expect(stdout).toContain(part.text);
  },
);
