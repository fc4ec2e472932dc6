/*
 * Prints how many rows of 100 columns the text of each card has on Telegram, without what it folds, as a row of a table for each card.
 * Another Keyturn is measured with `KEYTURN_TEST_DAEMON`: a folder whose `start-main.js` imports its `src/start.js`. What comes
 * behind the language is left out: cards that it does not have.
 * `node scripts/run.js scripts/card-rows.ts [LANGUAGE] [CARD]...`
 */

import { breakRows } from '../src/lib/text-width.ts';
import { languages } from '../src/lib/words.ts';
import { type CardPicture, playCards, sceneNames } from './pictures/card-scenes.ts';
import { telegramStage } from './pictures/telegram-chat.ts';

const columns = 100;

const [, , given = 'en', ...left] = process.argv;
const language = languages.find((one) => one === given) ?? 'en';
const cards = await measured();
const lines = cards.map(({ name, heading, shot }) => {
  const rows = shot?.text.split('\n').flatMap((line) => (line.trim() === '' ? [] : breakRows(line, columns, 0)));
  return `| ${name} | ${heading} | ${rows?.length ?? '–'} |`;
});
process.stdout.write(`${lines.join('\n')}\n`);

async function measured(): Promise<readonly CardPicture[]> {
  await using stage = await telegramStage(language);
  return await playCards(
    stage,
    language,
    sceneNames.filter((name) => left.includes(name)),
  );
}
