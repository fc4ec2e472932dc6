import { isTimeZone, machineTimeZone } from '../../../lib/time-words.ts';
import { type PageAnswer, type PageAsked, type PageCore, type PageRoute, shown } from '../page-route.ts';
import type { CallOutput, RunPage } from '../wire/activity.ts';
import { filterIn, numberIn } from './asked-filter.ts';
import { choicesFor } from './choices.ts';
import { figuresOf } from './figures/figures.ts';
import { createFigureStore } from './figures/tables.ts';
import { runLines } from './runs/run-lines.ts';
import { type RunListParts, runPage } from './runs/run-list.ts';
import { createRunListStore, type FoundRun } from './runs/tables.ts';
import { search, searchPlaceOf } from './search/search.ts';
import { createSearchStore } from './search/tables.ts';
import { type Seer, seerFor } from './seer.ts';
import { createStoryStore } from './story/tables.ts';
import { timelineOf } from './story/timeline.ts';
import { activityWords } from './words.ts';

/** Runs, as lists and one by one; the search in them, and their figures. */
export const activityRoutes: readonly PageRoute[] = [
  { method: 'GET', path: 'runs', answer: answerRuns },
  { method: 'GET', path: 'runs.jsonl', answer: answerLines },
  { method: 'GET', path: 'runs/choices', answer: answerChoices },
  { method: 'GET', path: 'runs/:id', answer: answerRun },
  { method: 'GET', path: 'runs/:id/output/:call', answer: answerOutput },
  { method: 'GET', path: 'search', answer: answerSearch },
  { method: 'GET', path: 'figures', answer: answerFigures },
];

async function answerRuns(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const wanted = filterIn(asked.query, core);
  if ('wrong' in wanted) return wrongFilter(wanted.wrong);
  const page: RunPage = await runPage(
    { ...wanted, seer: await seerFor(asked, core), gone: asked.gone },
    listParts(core),
  );
  return shown(page);
}

async function answerLines(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const wanted = filterIn(asked.query, core);
  if ('wrong' in wanted) return wrongFilter(wanted.wrong);
  const lines = runLines({ ...wanted, seer: await seerFor(asked, core), gone: asked.gone }, listParts(core));
  return { status: 200, file: { name: 'keyturn-runs.jsonl', mediaType: 'application/jsonl', lines } };
}

async function answerChoices(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  return shown(await choicesFor(await seerFor(asked, core), core));
}

async function answerRun(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const seer = await seerFor(asked, core);
  const found = await runFor(asked.params.id, seer, core);
  const { language } = asked;
  const { currency } = core.config.budget;
  const parts = { ...listParts(core), stories: createStoryStore(core.database), language, currency, seer };
  const timeline = found && (await timelineOf(found, parts));
  return timeline === undefined ? noRun : shown(timeline);
}

/** All that a call has answered. */
async function answerOutput(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const found = await runFor(asked.params.id, await seerFor(asked, core), core);
  const { call = '' } = asked.params;
  const output = found && (await createStoryStore(core.database).resultOf(found.runId, call));
  if (output === undefined) return noRun;
  const answer: CallOutput = { output };
  return shown(answer);
}

async function answerSearch(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const words = asked.query.get('q')?.trim() ?? '';
  if (words === '') return { status: 400, refusal: (language) => activityWords[language].noWords };
  const before = searchPlaceOf(asked.query.get('before'));
  if (before === undefined) return wrongFilter('before');
  const parts = {
    store: createSearchStore(core.database),
    places: createRunListStore(core.database),
    redact: core.redact,
  };
  return shown(
    await search({ words, seer: await seerFor(asked, core), before, most: mostHits, gone: asked.gone }, parts),
  );
}

const mostHits = 30;

async function answerFigures(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const days = numberIn(asked.query, 'days') ?? usualDays;
  if (days === 'wrong' || days < 1 || days > mostDays) return wrongFilter('days');
  const zone = asked.query.get('zone');
  const timeZone = zone !== null && isTimeZone(zone) ? zone : machineTimeZone();
  const { currency } = core.config.budget;
  const wanted = {
    seer: await seerFor(asked, core),
    days,
    now: core.clock.now(),
    timeZone,
    currency,
    gone: asked.gone,
  };
  return shown(await figuresOf(wanted, createFigureStore(core.database)));
}

const usualDays = 30;
const mostDays = 90;

function listParts({ database, redact, accounts }: PageCore): RunListParts {
  return { store: createRunListStore(database), redact, accounts };
}

function runFor(id: string | undefined, seer: Seer, { database }: PageCore): Promise<FoundRun | undefined> {
  return createRunListStore(database).visible((id ?? '').toLowerCase(), seer);
}

const noRun: PageAnswer = { status: 404, refusal: (language) => activityWords[language].noRun };

function wrongFilter(name: string): PageAnswer {
  return { status: 400, refusal: (language) => activityWords[language].wrongFilter({ name }) };
}
