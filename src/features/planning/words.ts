import { durationWords, type ReadersZone, zonedWords } from '../../lib/time-words.ts';
import { catalogue } from '../../lib/words.ts';
import type { CronDays, CronInterval, CronPlan } from './cron-plan.ts';

/** Tasks and reminders, for people. Names, texts and times that come from elsewhere are given in markdown. */
export const planningWords = catalogue({
  en: {
    /** The names of tools, on cards. */
    names: { schedule: 'Schedule', remind: 'Remind' },
    menu: {
      schedules: {
        description: 'Show your tasks and reminders; run, change or cancel one',
        argument: '[run ID, edit ID TEXT, time ID WHEN or cancel ID]',
        help: '`/schedules`: your tasks and reminders',
      },
    },
    usage:
      'Say `/schedules`, `/schedules run ID`, `/schedules edit ID TEXT`, `/schedules time ID WHEN` or `/schedules cancel ID`.',
    noSuchSchedule: 'You have planned nothing of that ID here. `/schedules` shows what you have.',
    cancelled: ({ what }: { readonly what: string }) => `Cancelled: ${what}`,
    changed: ({ what, when }: { readonly what: string; readonly when: string }) => `Changed: ${what}: ${when}`,
    tooLong: ({ length, most }: { readonly length: number; readonly most: number }) =>
      `Not changed: it may have ${most} characters, and this has ${length}.`,
    unreadableTime: ({ time }: { readonly time: string }) =>
      `Not changed: ${time} is no time that comes. Write a date and a time, \`2026-03-30T09:00\`, or five fields for again and again: \`0 9 * * 1-5\` is every weekday at 09:00.`,
    // A list aside from the chats.
    listed: {
      next: 'Next',
      last: 'Last',
      made: 'Planned',
      task: 'Task',
      reminder: 'Reminder',
      planned: ({ channel }: { readonly channel: string }) => `in ${channel}`,
      runNow: 'Run now',
      editText: 'Change the text',
      editTime: 'Change the time',
      cancel: 'Cancel',
      askCancel: ({ what }: { readonly what: string }) => `Cancel “${what}”? It is not done any more.`,
    },
    runs: ({ what, isElsewhere }: RunNow) =>
      `▶️ Running now${isElsewhere ? ', in the chat where you planned it' : ''}: ${what}`,
    ranBefore: ({ what }: { readonly what: string }) => `It was already run from this list: ${what}`,
    cannotRun: ({ why, what, channel }: CannotRun) =>
      ({
        off: `Not run: tasks or reminders of this kind are switched off in my config. (${what})`,
        away: `Not run: ${channel} is not running. Try again when \`/status\` shows it. (${what})`,
        unwelcome: `Not run: you may no longer talk to me in the chat where you planned it. (${what})`,
      })[why],
    plannedHere: ({ lines }: { readonly lines: readonly string[] }) =>
      lines.length === 0
        ? 'You have planned nothing here. Say, for example: remind me at 9 to call Lin.'
        : ['**Planned**', ...lines].join('\n'),
    scheduleLine: ({ type, what, when }: ScheduleLine) => `${type === 'task' ? '📅' : '⏰'} ${what}: ${when}`,
    buttonCancel: 'Cancel',
    buttonRun: 'Run now',
    buttonRunNumber: ({ number }: { readonly number: number }) => `Run ${number} now`,
    buttonCancelNumber: ({ number }: { readonly number: number }) => `Cancel ${number}`,
    // When something is due. `zone`: the name of its time zone.
    again: ({ plan, zone }: Again) => `${enPlan(plan)}, ${zone}`,
    once: ({ time, zone }: Once) => `once, ${time}${zone === undefined ? '' : `, ${zone}`}`,
    inMinutes: ({ minutes }: { readonly minutes: number }) => `in ${minutes} min`,
    instant: ({ at, clock }: Instant) => zonedWords(at, clock.timeZone),
    slot: ({ time, zone }: { readonly time: string; readonly zone: string }) => `${time}, ${zone}`,
    // What a call does, after "May I".
    list: 'list what is planned',
    cancel: ({ id }: { readonly id: string }) => `cancel what is planned as ${id}`,
    plan: ({ title, when, task }: Planned) =>
      `plan the task${title === undefined ? '' : ` ${title}`}, ${when}: ${task}`,
    remind: ({ when, text }: { readonly when: string; readonly text: string }) => `remind here, ${when}: ${text}`,
    // What is said when something is due.
    reminder: ({ person, text, isLong, late, slot }: Reminder) =>
      `⏰${person === undefined ? '' : ` ${person}:`}${isLong ? '\n\n' : ' '}${text}${late === undefined ? '' : `\n\n(I am ${durationWords(late)} late: this was for ${slot}.)`}`,
    missed: ({ type, text, slot }: Missed) =>
      `⚠️ I was away, and have missed the ${type} for ${slot}. It is too late for it now: “${text}”`,
    broken: ({ type, text, fault }: Broken) =>
      `⚠️ The ${type} “${text}” has ended, because its times can no longer be read: ${fault} Please plan it again.`,
    noZone: ({ zone }: { readonly zone: string }) => `there is no time zone ${zone}.`,
    revoked: ({ type, person, name, channel, chat, when }: Revoked) =>
      `A ${type} that ${person} had planned in ${chat.kind === 'direct' ? 'a direct chat' : (chat.title ?? 'a group')} on ${channel} (${when}) has ended: ${name} may no longer talk there.`,
  },
  zh: {
    names: { schedule: '计划', remind: '提醒' },
    menu: {
      schedules: {
        description: '查看你的任务和提醒，运行、修改或取消一项',
        argument: '[run ID、edit ID 内容、time ID 时间 或 cancel ID]',
        help: '`/schedules`：你的任务和提醒',
      },
    },
    usage:
      '发送 `/schedules`、`/schedules run ID`、`/schedules edit ID 内容`、`/schedules time ID 时间` 或 `/schedules cancel ID`。',
    noSuchSchedule: '你在这里安排的事项中没有这个 ID。`/schedules` 会列出你的安排。',
    cancelled: ({ what }) => `已取消：${what}`,
    changed: ({ what, when }) => `已修改：${what}：${when}`,
    tooLong: ({ length, most }) => `未修改：最多 ${most} 个字符，这段有 ${length} 个。`,
    unreadableTime: ({ time }) =>
      `未修改：${time} 不是将来的时间。请写日期和时间，例如 \`2026-03-30T09:00\`；重复的写五个字段：\`0 9 * * 1-5\` 表示每周一至周五 09:00。`,
    listed: {
      next: '下次',
      last: '上次',
      made: '安排于',
      task: '任务',
      reminder: '提醒',
      planned: ({ channel }) => `在 ${channel}`,
      runNow: '立即运行',
      editText: '修改内容',
      editTime: '修改时间',
      cancel: '取消',
      askCancel: ({ what }) => `要取消“${what}”吗？以后不会再执行。`,
    },
    runs: ({ what, isElsewhere }) => `▶️ 现在运行${isElsewhere ? '（在你安排它的聊天中）' : ''}：${what}`,
    ranBefore: ({ what }) => `已经从这个列表运行过：${what}`,
    cannotRun: ({ why, what, channel }) =>
      ({
        off: `未执行：配置中已关闭这类任务或提醒。（${what}）`,
        away: `未执行：${channel} 没有在运行。等 \`/status\` 列出它以后再试。（${what}）`,
        unwelcome: `未执行：你不再可以在安排它的聊天中与我对话。（${what}）`,
      })[why],
    plannedHere: ({ lines }) =>
      lines.length === 0
        ? '你在这里还没有安排。可以说，例如：9 点提醒我给 Lin 打电话。'
        : ['**已安排**', ...lines].join('\n'),
    scheduleLine: ({ type, what, when }) => `${type === 'task' ? '📅' : '⏰'} ${what}：${when}`,
    buttonCancel: '取消',
    buttonRun: '立即运行',
    buttonRunNumber: ({ number }) => `立即运行 ${number}`,
    buttonCancelNumber: ({ number }) => `取消 ${number}`,
    again: ({ plan, zone }) => `${zhPlan(plan)}，${zone}`,
    once: ({ time, zone }) => `仅一次，${time}${zone === undefined ? '' : `，${zone}`}`,
    inMinutes: ({ minutes }) => `${minutes} 分钟后`,
    instant: ({ at, clock }) => zonedWords(at, clock.timeZone, 'zh'),
    slot: ({ time, zone }) => `${time}，${zone}`,
    list: '列出已安排的事项',
    cancel: ({ id }) => `取消 ID 为 ${id} 的安排`,
    plan: ({ title, when, task }) => `安排任务${title === undefined ? '' : ` ${title}`}，${when}：${task}`,
    remind: ({ when, text }) => `在这里提醒，${when}：${text}`,
    reminder: ({ person, text, isLong, late, slot }) =>
      `⏰${person === undefined ? ' ' : ` ${person}：`}${isLong ? '\n\n' : ''}${text}${late === undefined ? '' : `\n\n（晚了 ${durationWords(late, 'zh')}：原定时间是 ${slot}。）`}`,
    missed: ({ type, text, slot }) =>
      `⚠️ 我当时没有运行，错过了一${type === 'task' ? '个任务' : '条提醒'}，原定时间是 ${slot}。现在已经太晚：“${text}”`,
    broken: ({ type, text, fault }) =>
      `⚠️ ${type === 'task' ? '任务' : '提醒'}“${text}”已结束，因为无法再读取它的时间。需要重新安排。原因：${fault}`,
    noZone: ({ zone }) => `没有时区 ${zone}。`,
    revoked: ({ type, person, name, channel, chat, when }) =>
      `${person} 在 ${channel} 的${chat.kind === 'direct' ? '私聊' : chat.title === undefined ? '一个群' : `群 ${chat.title} `}中安排的${type === 'task' ? '任务' : '提醒'}（${when}）已结束：${name} 不再可以在那里与我对话。`,
  },
});

type ScheduleType = 'task' | 'reminder';

interface RunNow {
  readonly what: string;
  readonly isElsewhere: boolean;
}

interface CannotRun {
  readonly why: 'off' | 'away' | 'unwelcome';
  readonly what: string;
  readonly channel: string;
}

interface ScheduleLine {
  readonly type: ScheduleType;
  readonly what: string;
  readonly when: string;
}

interface Again {
  readonly plan: CronPlan;
  readonly zone: string;
}

/** `zone` is undefined where the time names its offset. */
interface Once {
  readonly time: string;
  readonly zone: string | undefined;
}

interface Instant {
  readonly at: number;
  readonly clock: ReadersZone;
}

interface Planned {
  readonly title: string | undefined;
  readonly when: string;
  readonly task: string;
}

/** `isLong`: the text has several lines, and is quoted. `late`: in ms. */
interface Reminder {
  /** Whom it is for, where others read it. */
  readonly person: string | undefined;
  readonly text: string;
  readonly isLong: boolean;
  readonly late: number | undefined;
  readonly slot: string;
}

interface Missed {
  readonly type: ScheduleType;
  readonly text: string;
  readonly slot: string;
}

interface Broken {
  readonly type: ScheduleType;
  readonly text: string;
  readonly fault: string;
}

interface Revoked {
  readonly type: ScheduleType;
  readonly person: string;
  readonly name: string;
  readonly channel: string;
  readonly chat: { readonly kind: 'direct' | 'group'; readonly title: string | undefined };
  readonly when: string;
}

function enPlan(plan: CronPlan): string {
  switch (plan.type) {
    case 'daily':
      return `${enDays(plan.days)} at ${new Intl.ListFormat('en-GB').format(plan.times)}`;
    case 'often':
      return plan.days.type === 'all'
        ? enInterval(plan.interval)
        : `${enInterval(plan.interval)}, ${enDays(plan.days)}`;
    case 'other':
      return `at the times of \`${plan.expression}\``;
  }
}

function enInterval(interval: CronInterval): string {
  const { type, step } = interval;
  const every = step === 1 ? `every ${type.slice(0, -1)}` : `every ${step} ${type}`;
  return interval.type === 'hours' ? `${every} at minute ${interval.minute}` : every;
}

const enWeekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

function enDays(days: CronDays): string {
  switch (days.type) {
    case 'all':
      return 'every day';
    case 'weekdays':
      return 'every weekday';
    case 'weekends':
      return 'every Saturday and Sunday';
    case 'last-of-month':
      return 'on the last day of every month';
    case 'day-of-month':
      return `on day ${days.day} of every month`;
    case 'days-of-week':
      return `every ${new Intl.ListFormat('en-GB').format(days.weekdays.map((day) => enWeekdays[day] ?? ''))}`;
  }
}

function zhPlan(plan: CronPlan): string {
  switch (plan.type) {
    case 'daily':
      return `${zhDays(plan.days)} ${plan.times.join('、')}`;
    case 'often':
      return plan.days.type === 'all'
        ? zhInterval(plan.interval)
        : `${zhDays(plan.days)}，${zhInterval(plan.interval)}`;
    case 'other':
      return `按 \`${plan.expression}\` 的时间`;
  }
}

function zhInterval(interval: CronInterval): string {
  const { step } = interval;
  if (interval.type === 'minutes') return step === 1 ? '每分钟' : `每 ${step} 分钟`;
  return `${step === 1 ? '每小时' : `每 ${step} 小时`}的第 ${interval.minute} 分钟`;
}

const zhWeekdays = ['周日', '周一', '周二', '周三', '周四', '周五', '周六', '周日'];

function zhDays(days: CronDays): string {
  switch (days.type) {
    case 'all':
      return '每天';
    case 'weekdays':
      return '每周一至周五';
    case 'weekends':
      return '每周六、周日';
    case 'last-of-month':
      return '每月最后一天';
    case 'day-of-month':
      return `每月 ${days.day} 日`;
    case 'days-of-week':
      return `每${days.weekdays.map((day) => zhWeekdays[day] ?? '').join('、')}`;
  }
}
