/* What the commands print that look at a Keyturn. Plain text, for a terminal. */

import { ownCommand } from '../../../lib/own-command.ts';
import { clockTime, dayWords, durationWords, isSameDay, machineZone } from '../../../lib/time-words.ts';
import { catalogue, type Language } from '../../../lib/words.ts';

/** An instant as a person at this machine reads it: with its day, unless that is today's. */
export function instantWords(at: number, now: number, language: Language): string {
  const reader = { ...machineZone(), language };
  const time = clockTime(at, reader);
  return isSameDay(at, now, reader) ? time : `${dayWords(at, reader)} ${time}`;
}

/** `1.5 GB` */
export function sizeWords(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 1024 ** step;
  return `${step === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[step] ?? ''}`;
}

/** `cost` is in millionths. */
export function costWords(cost: number, currency: string): string {
  const digits = cost < 100_000 ? { maximumFractionDigits: 6 } : {};
  return (cost / 1_000_000).toLocaleString('en-US', { style: 'currency', currency, ...digits });
}

export const seeWords = catalogue({
  en: {
    runs: ({ version, duration, pid }: { readonly version: string; readonly duration: number; readonly pid: number }) =>
      `Keyturn ${version} runs: up ${durationWords(duration)} (process ${pid}).`,
    labels: {
      model: 'Model',
      waits: 'Waits',
      permissions: 'Permissions',
      today: 'Today',
      disk: 'Disk',
      data: 'Data',
      warning: 'Warning',
    },
    model: ({ name, at }: { readonly name: string; readonly at: string | undefined }) =>
      `${name}${at === undefined ? '; not asked yet' : `; answered ${at}`}`,
    modelFault: ({ name, since, text }: FaultyModel) => `${name} has not answered since ${since}: ${text}`,
    channelConnected: ({ heardAt }: { readonly heardAt: string }) => `connected; last heard ${heardAt}`,
    channelDown: ({ status, since, reason, retryAt }: DownChannel) =>
      `${downWords[status]} since ${since}${reason === undefined ? '' : `: ${reason}`}${retryAt === undefined ? '' : ` It is tried again at ${retryAt}.`}`,
    nothingWaits: 'nothing',
    waiting: ({ approvals, questions, undelivered, strangers }: Waiting) =>
      [
        count(approvals, 'approval', 'approvals'),
        count(questions, 'question', 'questions'),
        count(undelivered, 'message not delivered', 'messages not delivered'),
        count(strangers, 'person asks to be let in', 'people ask to be let in'),
      ]
        .flat()
        .join(', '),
    grants: ({ count: many }: { readonly count: number }) => `${many} saved`,
    spent: ({ tokens, cost }: { readonly tokens: number; readonly cost: string | undefined }) =>
      `${tokens.toLocaleString('en-US')} tokens${cost === undefined ? '' : `, ${cost}`}`,
    disk: ({ free, database }: { readonly free: string; readonly database: string }) =>
      `${free} free; the database has ${database}`,
    unclaimed: 'Nobody owns it yet. Its first lines, or its log, say how to claim it.',

    noApprovals: 'Nothing waits for a decision.',
    approvalLine: ({ requester, conversation, until }: ApprovalWords) =>
      `asked for ${requester} in ${conversation}${until === undefined ? '; not shown yet' : `; until ${until}`}`,
    isQuestion: 'a question: answer it in the chat',
    howToDecide: ({ id }: { readonly id: string }) =>
      `To decide: ${ownCommand()} approvals approve ${id}   or   ${ownCommand()} approvals deny ${id} REASON`,
    approved: ({ what }: { readonly what: string }) => `Approved: ${what}`,
    denied: ({ what }: { readonly what: string }) => `Denied: ${what}`,
    nobody: 'Nobody owns it, and nobody was let in.',
    ownersHead: 'Owners',
    pairedHead: 'Let in with a code',
    waitingHead: 'Ask to be let in',
    refusedHead: 'Refused',
    linkedHead: 'Accounts of one person',
    until: ({ at }: { readonly at: string }) => `until ${at}`,
    letInBy: ({ by, at }: { readonly by: string; readonly at: string }) => `by ${by}, ${at}`,
    noDevices: 'No device is paired, and nobody has signed in with a browser. /device in the chat pairs one.',
    browser: ({ name }: { readonly name: string }) => `${name} (a browser)`,
    lastSeen: ({ at }: { readonly at: string | undefined }) =>
      at === undefined ? 'never connected' : `last here ${at}`,
    noTools: 'No tool is on.',
    permission: ({ permission, reason }: Permission) =>
      permission === 'off' ? 'off in this mode' : permission === 'never' ? 'does not ask' : `asks: ${reason ?? ''}`,

    noRuns: 'No runs yet.',
    noRunsIn: ({ chat }: { readonly chat: string }) =>
      `No runs in "${chat}". Conversations are written CHANNEL:ID, as telegram:17; "${ownCommand()} runs" shows them.`,
    runEnd: ({ closing, isOpen }: RunEnd) =>
      isOpen ? 'goes on' : closing === undefined ? 'answered' : (endings[closing] ?? closing),
    runLine: ({ turns, calls, tokens, cost }: RunSums) =>
      `${count(turns, 'answer', 'answers')}, ${calls === 0 ? 'no calls' : count(calls, 'call', 'calls')}, ${tokens.toLocaleString('en-US')} tokens${cost === undefined ? '' : `, ${cost}`}`,
    forRun: 'for another run',
    noRun: ({ id }: { readonly id: string }) =>
      `There is no run "${id}", and no call or approval with that id. "${ownCommand()} runs" lists the runs.`,
    cut: '… the rest is left out; --json has more.',
    runTitle: ({ id, end, conversation, person }: RunTitle) => `${id} for ${person} in ${conversation}: ${end}`,
    event: ({ text }: { readonly text: string }) => `(from Keyturn) ${text}`,
    modelTurn: ({ model, input, output, cost }: TurnWords) =>
      `${model}: ${input.toLocaleString('en-US')} tokens in, ${output.toLocaleString('en-US')} out${cost === undefined ? '' : `, ${cost}`}`,
    says: ({ text }: { readonly text: string }) => `says: ${text}`,
    ended: ({ reason }: { readonly reason: string }) => `ended: ${endings[reason] ?? reason}`,
    asked: ({ reason }: { readonly reason: string | undefined }) =>
      reason === undefined ? 'asked first' : `asked first: ${reason}`,
    allowed: ({ why }: { readonly why: string | undefined }) =>
      why === undefined ? 'ran without asking' : `ran without asking: ${allowances[why] ?? why}`,
    decision: ({ state, by, at }: DecisionWords) =>
      `${state}${by === undefined ? '' : ` by ${by}`}${at === undefined ? '' : ` at ${at}`}`,
    outcome: ({ outcome, duration }: OutcomeWords) =>
      `${outcome}${duration === undefined ? '' : ` after ${duration} ms`}`,

    noGrants: 'There are no saved permissions.',
    grantWindow: ({ until }: { readonly until: string }) => `such calls, until ${until}`,
    grantAlways: 'exactly this, always',
    grantLine: ({ person, by, conversation }: GrantWords) => `for ${person} in ${conversation}; given by ${by}`,
    howToRevoke: 'To take one back, write /revoke ID in that chat.',

    logsElsewhere: ({ pid, target }: LogPlace) =>
      `The log of the process ${pid} goes ${target === undefined ? 'to its standard error' : `to ${target}`}, not to a file. Under systemd: journalctl -u keyturn -f   (or --user); in a container: docker compose logs -f`,
    logFollowed: 'The log goes to no file: what comes from now on is shown.',
    logWaits: 'Keyturn has ended or restarts. The log goes on when it is back.',
    wrongLevel: ({ written, levels }: { readonly written: string; readonly levels: readonly string[] }) =>
      `--level takes ${levels.join(', ')}, and "${written}" is none of them.`,

    noUsage: 'Nothing was used yet.',
    noUsageOf: ({ person }: { readonly person: string }) =>
      `"${person}" has used nothing in these days. Accounts are written CHANNEL:ID, as telegram:17; "${ownCommand()} people" shows them.`,
    tokens: ({ tokens }: { readonly tokens: number }) => `${tokens.toLocaleString('en-US')} tokens`,
    wrongNumber: ({ option, written }: WrongOption) =>
      `--${option} takes a number from 1 on, and "${written}" is none.`,

    fromTool:
      'A command that a tool of Keyturn runs cannot decide. Decide in your own terminal, or with the buttons of the card.',
  },
  zh: {
    runs: ({ version, duration, pid }) =>
      `Keyturn ${version} 正在运行：已运行 ${durationWords(duration, 'zh')}（进程 ${pid}）。`,
    labels: {
      model: '模型',
      waits: '等待中',
      permissions: '已存的许可',
      today: '今天',
      disk: '磁盘',
      data: '数据',
      warning: '警告',
    },
    model: ({ name, at }) => `${name}${at === undefined ? '；还没有用过' : `；上次回答 ${at}`}`,
    modelFault: ({ name, since, text }) => `${name} 从 ${since} 起没有回答：${text}`,
    channelConnected: ({ heardAt }) => `已连接；上次收到 ${heardAt}`,
    channelDown: ({ status, since, reason, retryAt }) =>
      `从 ${since} 起${downWordsZh[status]}${reason === undefined ? '' : `：${reason}`}${retryAt === undefined ? '' : ` ${retryAt} 再试。`}`,
    nothingWaits: '没有',
    waiting: ({ approvals, questions, undelivered, strangers }) =>
      [
        approvals === 0 ? [] : `${approvals} 个待批准`,
        questions === 0 ? [] : `${questions} 个提问`,
        undelivered === 0 ? [] : `${undelivered} 条消息未送达`,
        strangers === 0 ? [] : `${strangers} 人请求加入`,
      ]
        .flat()
        .join('，'),
    grants: ({ count: many }) => `${many} 个`,
    spent: ({ tokens, cost }) => `${tokens.toLocaleString('en-US')} 个 token${cost === undefined ? '' : `，${cost}`}`,
    disk: ({ free, database }) => `剩余 ${free}；数据库 ${database}`,
    unclaimed: '还没有所有者。启动时的头几行或日志里写着怎么认领。',

    noApprovals: '没有待决事项。',
    approvalLine: ({ requester, conversation, until }) =>
      `为 ${requester} 请求，在 ${conversation}${until === undefined ? '；还没有显示' : `；${until} 前有效`}`,
    isQuestion: '这是一个提问：在聊天中回答',
    howToDecide: ({ id }) =>
      `决定：${ownCommand()} approvals approve ${id}   或   ${ownCommand()} approvals deny ${id} 理由`,
    approved: ({ what }) => `已批准：${what}`,
    denied: ({ what }) => `已拒绝：${what}`,
    nobody: '还没有所有者，也没有放行任何人。',
    ownersHead: '所有者',
    pairedHead: '凭配对码加入',
    waitingHead: '请求加入',
    refusedHead: '已拒绝',
    linkedHead: '同一个人的账号',
    until: ({ at }) => `到 ${at}`,
    letInBy: ({ by, at }) => `由 ${by} 放行，${at}`,
    noDevices: '没有已配对的设备，也没有人在浏览器中登录。在聊天中用 /device 配对。',
    browser: ({ name }) => `${name}（浏览器）`,
    lastSeen: ({ at }) => (at === undefined ? '从未连接' : `上次在线 ${at}`),
    noTools: '没有开启任何工具。',
    permission: ({ permission, reason }) =>
      permission === 'off' ? '在这个模式下不可用' : permission === 'never' ? '不问' : `先问：${reason ?? ''}`,

    noRuns: '还没有运行记录。',
    noRunsIn: ({ chat }) =>
      `“${chat}”里没有运行记录。会话写作 CHANNEL:ID，如 telegram:17；用“${ownCommand()} runs”查看。`,
    runEnd: ({ closing, isOpen }) =>
      isOpen ? '进行中' : closing === undefined ? '已回答' : (endingsZh[closing] ?? closing),
    runLine: ({ turns, calls, tokens, cost }) =>
      `${turns} 次回答，${calls === 0 ? '没有调用' : `${calls} 次调用`}，${tokens.toLocaleString('en-US')} 个 token${cost === undefined ? '' : `，${cost}`}`,
    forRun: '为另一个运行工作',
    noRun: ({ id }) => `没有运行“${id}”，也没有这个编号的调用或批准。“${ownCommand()} runs”列出所有运行。`,
    cut: '……其余省略；--json 里有更多。',
    runTitle: ({ id, end, conversation, person }) => `${id}，为 ${person}，在 ${conversation}：${end}`,
    event: ({ text }) => `（来自 Keyturn）${text}`,
    modelTurn: ({ model, input, output, cost }) =>
      `${model}：输入 ${input.toLocaleString('en-US')} 个 token，输出 ${output.toLocaleString('en-US')} 个${cost === undefined ? '' : `，${cost}`}`,
    says: ({ text }) => `说：${text}`,
    ended: ({ reason }) => `结束：${endingsZh[reason] ?? reason}`,
    asked: ({ reason }) => (reason === undefined ? '先问过' : `先问过：${reason}`),
    allowed: ({ why }) => (why === undefined ? '未询问就执行' : `未询问就执行：${allowancesZh[why] ?? why}`),
    decision: ({ state, by, at }) =>
      `${statesZh[state] ?? state}${by === undefined ? '' : `，由 ${by} 决定`}${at === undefined ? '' : `，${at}`}`,
    outcome: ({ outcome, duration }) =>
      `${outcomesZh[outcome] ?? outcome}${duration === undefined ? '' : `，用时 ${duration} 毫秒`}`,

    noGrants: '没有已存的许可。',
    grantWindow: ({ until }) => `这类调用，到 ${until}`,
    grantAlways: '完全相同的调用，始终',
    grantLine: ({ person, by, conversation }) => `给 ${person}，在 ${conversation}；由 ${by} 给出`,
    howToRevoke: '要收回，在那个聊天中输入 /revoke ID。',

    logsElsewhere: ({ pid, target }) =>
      `进程 ${pid} 的日志${target === undefined ? '写到标准错误' : `写到 ${target}`}，不是文件。systemd 下：journalctl -u keyturn -f（或加 --user）；容器中：docker compose logs -f`,
    logFollowed: '日志不在文件里：显示从现在起的内容。',
    logWaits: 'Keyturn 已结束或正在重启。它恢复后，日志会继续。',
    wrongLevel: ({ written, levels }) => `--level 后面可以写 ${levels.join('、')}，“${written}”不是。`,

    noUsage: '还没有用量。',
    noUsageOf: ({ person }) =>
      `这些天“${person}”没有用量。账号写作 CHANNEL:ID，如 telegram:17；用“${ownCommand()} people”查看。`,
    tokens: ({ tokens }) => `${tokens.toLocaleString('en-US')} 个 token`,
    wrongNumber: ({ option, written }) => `--${option} 后面要写从 1 起的数字，“${written}”不是。`,

    fromTool: 'Keyturn 的工具所运行的命令不能做决定。在你自己的终端里决定，或用卡片上的按钮。',
  },
});

interface FaultyModel {
  readonly name: string;
  readonly since: string;
  readonly text: string;
}

interface DownChannel {
  readonly status: 'connecting' | 'failing' | 'dead';
  readonly since: string;
  readonly reason: string | undefined;
  readonly retryAt: string | undefined;
}

interface Waiting {
  readonly approvals: number;
  readonly questions: number;
  readonly undelivered: number;
  readonly strangers: number;
}

interface ApprovalWords {
  readonly requester: string;
  readonly conversation: string;
  readonly until: string | undefined;
}

interface RunEnd {
  readonly closing: string | undefined;
  readonly isOpen: boolean;
}

interface RunSums {
  readonly turns: number;
  readonly calls: number;
  readonly tokens: number;
  readonly cost: string | undefined;
}

interface RunTitle {
  readonly id: string;
  readonly end: string;
  readonly conversation: string;
  readonly person: string;
}

interface TurnWords {
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cost: string | undefined;
}

interface DecisionWords {
  readonly state: string;
  readonly by: string | undefined;
  readonly at: string | undefined;
}

interface OutcomeWords {
  readonly outcome: string;
  readonly duration: number | undefined;
}

interface GrantWords {
  readonly person: string;
  readonly by: string;
  readonly conversation: string;
}

interface WrongOption {
  readonly option: string;
  readonly written: string;
}

interface Permission {
  readonly permission: 'asks' | 'never' | 'off';
  readonly reason: string | undefined;
}

interface LogPlace {
  readonly pid: number;
  readonly target: string | undefined;
}

type Names = Readonly<Record<string, string>>;

/** Why runs end without an answer, and why calls run without asking, by the names that the database has for it. */
const endings: Names = {
  limit: 'too many turns',
  budget: 'over the budget',
  stopped: 'a person ended it',
  failed: 'failed',
  stuck: 'it made no progress',
  expired: 'nobody decided in time',
  completed: 'the model said that it is done',
};
const endingsZh: Names = {
  limit: '轮数过多',
  budget: '预算用完',
  stopped: '被人停止',
  failed: '失败',
  stuck: '没有进展',
  expired: '没有人及时决定',
  completed: '模型说已完成',
};
const allowances: Names = {
  grant: 'a saved permission',
  'policy-off': 'nothing is asked for',
  'not-dangerous': 'the policy does not ask for such calls',
  autonomous: 'the mode is autonomous',
  'allow-rule': 'a rule of the config allows it',
  'own-words': 'it is what the person wrote',
};
const allowancesZh: Names = {
  grant: '有已存的许可',
  'policy-off': '设置为什么都不问',
  'not-dangerous': '按规则，这类调用不问',
  autonomous: '模式为 autonomous',
  'allow-rule': '配置中的规则允许它',
  'own-words': '这个人用自己的话要求过',
};
const statesZh: Names = {
  pending: '等待中',
  approved: '已批准',
  denied: '已拒绝',
  answered: '已回答',
  expired: '已过期',
  cancelled: '已取消',
};
const outcomesZh: Names = {
  success: '完成',
  error: '出错',
  denied: '被拒绝',
  refused: '规则不允许',
  expired: '过期',
  cancelled: '已取消',
  unknown: '结果不明',
  deferred: '稍后告知',
  completed: '完成',
};

const downWords = { connecting: 'connecting', failing: 'failing', dead: 'refused by its platform' } as const;
const downWordsZh = { connecting: '正在连接', failing: '出错', dead: '被平台拒绝' } as const;

function count(many: number, one: string, several: string): string | readonly string[] {
  return many === 0 ? [] : `${many} ${many === 1 ? one : several}`;
}
