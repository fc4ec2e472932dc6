/* What a plan, or what was done, tells: for people and for programs. No value of the config is in it, and no secret. */

import { conversationId } from '../../contract.ts';
import type { Language } from '../../lib/words.ts';
import { columns } from '../columns.ts';
import type { Left } from './findings.ts';
import { whenOf } from './matters.ts';
import type { Plan } from './plan.ts';
import { migrateWords } from './words.ts';

/** Whether it was done, and with what command it is. */
export interface ReportOrder {
  readonly isDone: boolean;
  readonly folder: string;
  readonly command: string;
  readonly left: readonly Left[];
}

/** The lines for a person. */
export function reportOf(plan: Plan, report: ReportOrder, language: Language): readonly string[] {
  const say = migrateWords[language];
  const { isDone, folder, command } = report;
  const { title } = plan.order.former;
  const rows = rowsOf(plan, language);
  const left = report.left.map(({ what, file, why }) => [what, what.includes(file) ? '' : file, why(language)]);
  const section = (head: string, cells: readonly (readonly string[])[]): readonly string[] =>
    cells.length === 0 ? [] : ['', head, ...columns(cells)];
  const hasNews = rows.fresh.length > 0;
  const isEmpty = !hasNews && rows.known.length + rows.kept.length === 0;
  return [
    say.head({ title, folder, config: plan.configFile }),
    ...section(isDone ? say.parts.done : say.parts.taken, rows.fresh),
    ...section(say.parts.known, rows.known),
    ...section(say.parts.kept, rows.kept),
    ...section(say.parts.left, left),
    ...section(
      say.parts.notices,
      noticesOf(plan, report, language).map((notice) => [notice]),
    ),
    '',
    isEmpty
      ? say.nothing
      : !hasNews
        ? say.nothingNew
        : isDone
          ? say.finished({ config: plan.configFile })
          : say.dry({ command }),
  ];
}

interface Rows {
  readonly fresh: readonly (readonly string[])[];
  readonly known: readonly (readonly string[])[];
  readonly kept: readonly (readonly string[])[];
}

function rowsOf({ settings, secrets, envFile, memories, schedules, person }: Plan, language: Language): Rows {
  const say = migrateWords[language];
  const settingRows = (wanted: 'free' | 'same' | 'other'): readonly (readonly string[])[] =>
    settings
      .filter(({ state }) => state === wanted)
      .map(({ path, file }) => [path.join('.'), file === '' ? '' : say.from({ file })]);
  const matterRows = (isKnown: boolean): readonly (readonly string[])[] => [
    ...[
      ...Map.groupBy(
        memories.filter((one) => one.isKnown === isKnown),
        ({ matter }) => matter.file,
      ),
    ].map(([file, own]) => [say.memoryRow({ count: own.length, person: person ?? '' }), say.from({ file })]),
    ...schedules
      .filter((one) => one.isKnown === isKnown)
      .map(({ matter }) => [
        say.scheduleRow({
          name: matter.title ?? '',
          when: whenOf(matter),
          chat: conversationId(matter.conversation),
        }),
        say.from({ file: matter.file }),
      ]),
  ];
  const secretRows = secrets.map(({ variable: name }) => [say.secretRow({ name, file: envFile })]);
  return {
    fresh: [...settingRows('free'), ...secretRows, ...matterRows(false)],
    known: [...settingRows('same'), ...matterRows(true)],
    kept: settingRows('other'),
  };
}

function noticesOf(plan: Plan, { isDone }: Pick<ReportOrder, 'isDone'>, language: Language): readonly string[] {
  const { order, owners, memories, schedules, config, isRunning } = plan;
  const say = migrateWords[language].notices;
  const { title } = order.former;
  const channels = order.findings.channels.filter(({ tokens }) => Object.keys(tokens).length > 0);
  const [owner] = owners;
  const ownerNotice = order.named === undefined ? say.owner : say.ownerNamed;
  const isTaken = [...memories, ...schedules].some(({ isKnown }) => !isKnown);
  return [
    ...(channels.length === 0 ? [] : [say.twoPrograms({ title, channels: channels.map(({ channel }) => channel) })]),
    ...(owner === undefined ? [] : [ownerNotice({ person: owners.join(', ') })]),
    ...(config.owners.length === 0 && channels.length > 0 ? [say.noOwner] : []),
    ...(isTaken ? [say.untrusted({ title })] : []),
    ...(isRunning && !isDone ? [say.running] : []),
  ];
}

/** The same for programs. */
export function jsonReportOf(plan: Plan, report: ReportOrder): object {
  const { settings, secrets, memories, schedules, person, configFile, envFile, dataFolder, order, owners } = plan;
  return {
    program: order.former.name,
    done: report.isDone,
    folder: report.folder,
    config: configFile,
    env: envFile,
    data: dataFolder,
    person,
    owners,
    settings: settings.map(({ path, file, state }) => ({ key: path.join('.'), file, state: states[state] })),
    variables: secrets.map(({ variable }) => variable),
    memories: {
      new: memories.filter(({ isKnown }) => !isKnown).length,
      there: memories.filter(({ isKnown }) => isKnown).length,
    },
    tasks: schedules.map(({ matter, isKnown }) => ({
      title: matter.title,
      chat: conversationId(matter.conversation),
      cron: matter.cron,
      time_zone: matter.timeZone,
      next: new Date(matter.nextAt).toISOString(),
      state: isKnown ? 'there' : 'new',
    })),
    left: report.left.map(({ what, file, why }) => ({ what, file, why: why('en') })),
  };
}

const states = { free: 'new', same: 'there', other: 'kept' } as const;
