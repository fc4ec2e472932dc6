import { callSigns } from '../lib/call-signs.ts';
import { clockTime, type Reader } from '../lib/time-words.ts';
import { catalogue } from '../lib/words.ts';

/** A value of a call that its person did not write: itself and the tool whose answer has it, as markdown. */
interface Strange {
  readonly value: string;
  readonly tool: string | undefined;
  /** It stands in what they wrote, but not in the message that asks for the call. */
  readonly isSaidElsewhere: boolean;
}

/** What every request begins with, if a model does not take it. `tokens` and its `window` in tokens. */
interface FixedPart {
  readonly tokens: number;
  readonly model: string;
  readonly window: number | undefined;
  readonly isMostlyTools: boolean;
}

/** An open approval, with its commands as markdown. */
interface Open {
  readonly what: string;
  readonly approve: string;
  readonly deny: string;
}

interface DecidedNow {
  readonly what: string;
  readonly state: 'approved' | 'denied' | 'answered';
}

/** What people are told while a run works, and when they decide. */
export const engineWords = catalogue({
  en: {
    toastNotYours: 'You may not decide that. Only an approver of this Keyturn may.',
    toastNoApproval: 'There is no such approval. `/status` shows what waits.',
    toastIsQuestion: 'That is a question, not a permission: answer it with a button of its card, or in your own words.',
    toastAskedElsewhere: 'That was asked in another chat or thread, and can only be decided there.',
    toastOnlyPeople: 'Only a person can decide that.',
    toastOnlyPeopleHere: 'Only people I talk to here can decide that.',
    toastDeadButton: 'This button no longer does anything.',
    noCommand: 'That is no command. `help` lists them.',
    toastOnlyAsked: ({ person }: { readonly person: string }) => `Only ${cut(person)} was asked.`,
    toastTooLate: 'Too late: nobody decided in time, so it did not run.',
    toastDeniedBefore: 'That was denied a moment ago.',
    deniedUnstored: '🚫 Denied: it does not run.',
    notStoredYet: ({ held, why }: { readonly held: string; readonly why: string }) =>
      `${held} It could not be stored yet: ${why}. I keep trying.`,
    storageFails: 'the storage fails',
    needsButtons: ({ approve, deny }: Omit<Open, 'what'>) =>
      `Nothing was decided: this needs more than a yes or no. Use the buttons of the card, or type ${approve} or ${deny}.`,
    decidedNow: ({ what, state }: DecidedNow) =>
      state === 'denied' ? `${callSigns.denied} Denied: ${what}` : `✅ Allowed: ${what}`,
    whichOne: 'Nothing was decided, since several are open here. Say which:',
    stillOpen: ({ what, approve, deny, takesYes }: Open & { readonly takesYes: boolean }) =>
      `🔑 Still open here: ${what}. What you wrote went to the model as a message. To decide, press a button of the card${takesYes ? ', answer the card with yes or no' : ''}, or type ${approve} or ${deny}.`,
    waitsForModel: ({
      why,
      until,
      reader,
    }: {
      readonly why: string;
      readonly until: number;
      readonly reader: Reader;
    }) => `⏳ ${why} I keep trying until ${clockTime(until, reader)}; /stop ends it.`,
    onlyThoughts: '⚠️ The model thought, and then gave no answer. Please ask again, or in other words.',
    cutThoughts:
      '⚠️ The model thought until its limit of tokens, and had none left for an answer. Give it a larger window in its server (`num_ctx`, `-c`, context length), a larger `max_output_tokens`, or `reasoning: "none"`.',
    fixedPartTooLong: ({ tokens, model, window, isMostlyTools }: FixedPart) =>
      `The instructions and tools alone take about ${tokens.toLocaleString('en')} tokens, and the model ${model} ${window === undefined ? 'takes less' : `has a window of ${window.toLocaleString('en')}`}. Give it a larger window where it is served (-c of llama.cpp, OLLAMA_CONTEXT_LENGTH or num_ctx of Ollama, the context length in LM Studio), or ${isMostlyTools ? 'offer fewer tools in the config: tools.only, or "few" for tools.compact' : "shorten what every request begins with: agent.instructions or the chat's prompt in the config, and pinned facts (/pins)"}.`,
    directChat: (channel: string) => `a direct chat on ${channel}`,
    setAside:
      '⚠️ I was stopped three times while I worked on this, so I have set it aside. To have me try again, say it again, perhaps in smaller parts.',
    waitsInLine: ({ number, count }: { readonly number: number; readonly count: number }) =>
      `⏳ Your message waits for its turn, because I was interrupted. ${count === 1 ? 'You are next.' : `You are number ${number} of ${count}.`}`,
    wentWrong:
      '⚠️ Something went wrong inside Keyturn, and I could not finish this. It is in the log. Please try again.',
    nobodyDecided: '⏸️ Nobody decided, so I have stopped here. Say "go on", and I answer without it.',
    goOn: ({ words }: { readonly words: string }) => `${words} Say "go on", and I answer without it.`,
    questionUnshown: (what: string) => `❓ My question could not be shown here as I wrote it: ${what}`,
    notAskedFor: ({ reason, tool }: { readonly reason: string; readonly tool: string }) =>
      `${reason}. What you wrote does not ask for ${tool}`,
    doubtWish: (tool: string) => `What you wrote does not ask for ${tool}`,
    doubtValue: (strange: Strange) => englishStrange(strange),
    doubtMore: (count: number) => `${count} more ${count === 1 ? 'value is' : 'values are'} not in what you wrote`,
    strange: ({
      reason,
      values,
      more,
    }: {
      readonly reason: string;
      readonly values: readonly Strange[];
      readonly more: number;
    }) => `${reason}. ${values.map(englishStrange).join('; ')}${more > 0 ? `; nor are ${more} more` : ''}`,
    done: ({ seconds }: Took) => `${callSigns.done} done in ${seconds.toFixed(1)} s`,
    did: ({ seconds, did }: Took & { readonly did: string }) =>
      `${callSigns.done} ${did}${seconds < 1 ? '' : ` in ${seconds.toFixed(1)} s`}`,
    failed: ({ seconds, why }: Failed) =>
      `${callSigns.failed} failed after ${seconds.toFixed(1)} s${why === '' ? '' : `: ${why}`}`,
    stoppedAfter: ({ seconds }: Took) => `${callSigns.stopped} stopped after ${seconds.toFixed(1)} s`,
    stopped: `${callSigns.stopped} Stopped.`,
    forbiddenNow: `${callSigns.stopped} It did not run: a rule forbids it now.`,
    filesChanged: (files: string) =>
      `${callSigns.stopped} It did not run: ${files === '' ? 'a file that it runs' : files} changed after this was approved.`,
    unknownOutcome: `${callSigns.cutOff} Outcome unknown: Keyturn was stopped while it ran.`,
    unknownOutcomeOf: (tool: string) => `${callSigns.cutOff} Outcome unknown: Keyturn was stopped while ${tool} ran.`,
    broken: `${callSigns.stopped} It did not run: something went wrong inside Keyturn.`,
    brokenOutcome: `${callSigns.cutOff} Outcome unknown: something went wrong inside Keyturn.`,
  },
  zh: {
    toastNotYours: '你不能决定这件事，只有此 Keyturn 的批准人可以。',
    toastNoApproval: '没有这个批准请求。`/status` 会列出等待中的事项。',
    toastIsQuestion: '这是提问，不是批准请求：按卡片上的按钮，或用你自己的话回答。',
    toastAskedElsewhere: '这是在另一个聊天或话题里问的，只能在那里决定。',
    toastOnlyPeople: '这只能由人来决定。',
    toastOnlyPeopleHere: '只有在这里和我对话的人才能决定。',
    toastDeadButton: '这个按钮已经失效。',
    noCommand: '这不是命令。`help` 会列出所有命令。',
    toastOnlyAsked: ({ person }) => `只问了 ${cut(person)}。`,
    toastTooLate: '已过期：没有人及时决定，未执行。',
    toastDeniedBefore: '刚才已经拒绝。',
    deniedUnstored: '🚫 已拒绝，不会执行。',
    notStoredYet: ({ held, why }) => `${held}暂时无法保存：${why}。我会继续尝试。`,
    storageFails: '存储出错',
    needsButtons: ({ approve, deny }) =>
      `未做决定：这件事不能只用“好”或“不”来回答。按卡片上的按钮，或输入 ${approve} 或 ${deny}。`,
    decidedNow: ({ what, state }) =>
      state === 'denied' ? `${callSigns.denied} 已拒绝：${what}` : `✅ 已批准：${what}`,
    whichOne: '未做决定：这里有几个请求在等待。指明是哪一个：',
    stillOpen: ({ what, approve, deny, takesYes }) =>
      `🔑 这里仍在等待决定：${what}。你写的内容已作为消息交给模型。要决定，就按卡片上的按钮${takesYes ? '、用“好”或“不”回复卡片' : ''}，或输入 ${approve} 或 ${deny}。`,
    waitsForModel: ({ why, until, reader }) =>
      `⏳ 模型还没有回答。我会一直尝试到 ${clockTime(until, reader)}，发送 /stop 可结束。原因：${why}`,
    onlyThoughts: '⚠️ 模型思考了，但没有给出回答。再问一次，或换个说法。',
    cutThoughts:
      '⚠️ 模型思考到了 token 上限，没有余量回答。可以在它的服务器上调大上下文窗口（`num_ctx`、`-c`、context length），调大 `max_output_tokens`，或设置 `reasoning: "none"`。',
    fixedPartTooLong: ({ tokens, model, window, isMostlyTools }) =>
      `仅指令和工具就约占 ${tokens.toLocaleString('en')} 个 token，而模型 ${model} ${window === undefined ? '放不下这么多' : `的窗口只有 ${window.toLocaleString('en')} 个 token`}。在提供模型的地方调大窗口（llama.cpp 的 -c，Ollama 的 OLLAMA_CONTEXT_LENGTH 或 num_ctx，LM Studio 的 context length），或者${isMostlyTools ? '在配置中少提供工具：tools.only，或把 tools.compact 设为 "few"' : '缩短每次请求开头的内容：配置中的 agent.instructions 或聊天的 prompt，以及置顶的内容（/pins）'}。`,
    directChat: (channel) => `${channel} 上的私聊`,
    setAside: '⚠️ 我在处理这件事时中断了三次，已把它搁置。要我再试，就再说一遍，最好拆小一些。',
    waitsInLine: ({ number, count }) =>
      `⏳ 我被中断过，你的消息在排队。${count === 1 ? '下一个就是你。' : `你排在第 ${number} 位，共 ${count} 位。`}`,
    wentWrong: '⚠️ Keyturn 内部出错，这件事没有完成，详情见日志。再试一次。',
    nobodyDecided: '⏸️ 没有人决定，我先停在这里。说“继续”，我就跳过它，直接回答。',
    goOn: ({ words }) => `${words}\n\n说“继续”，我就跳过它，直接回答。`,
    questionUnshown: (what) => `❓ 我的问题无法照原样在这里显示：${what}`,
    notAskedFor: ({ reason, tool }) => `${reason}。你写的内容没有要求 ${tool}`,
    doubtWish: (tool) => `你写的内容没有要求 ${tool}`,
    doubtValue: (strange) => chineseStrange(strange),
    doubtMore: (count) => `另外 ${count} 个值不在你写的内容里`,
    strange: ({ reason, values, more }) =>
      `${reason}。${values.map(chineseStrange).join('；')}${more > 0 ? `；另外 ${more} 个值也是这样` : ''}`,
    done: ({ seconds }) => `${callSigns.done} 已完成，用时 ${seconds.toFixed(1)} 秒`,
    did: ({ seconds, did }) => `${callSigns.done} ${did}${seconds < 1 ? '' : `，用时 ${seconds.toFixed(1)} 秒`}`,
    failed: ({ seconds, why }) =>
      `${callSigns.failed} 出错，用时 ${seconds.toFixed(1)} 秒${why === '' ? '' : `：${why}`}`,
    stoppedAfter: ({ seconds }) => `${callSigns.stopped} 运行 ${seconds.toFixed(1)} 秒后已停止`,
    stopped: `${callSigns.stopped} 已停止。`,
    forbiddenNow: `${callSigns.stopped} 未执行：现在有规则禁止它。`,
    filesChanged: (files) =>
      `${callSigns.stopped} 未执行：${files === '' ? '它要运行的文件' : `${files} `}在批准后有改动。`,
    unknownOutcome: `${callSigns.cutOff} 结果未知：运行期间 Keyturn 停止了。`,
    unknownOutcomeOf: (tool) => `${callSigns.cutOff} 结果未知：${tool} 运行期间 Keyturn 停止了。`,
    broken: `${callSigns.stopped} 未执行：Keyturn 内部出错。`,
    brokenOutcome: `${callSigns.cutOff} 结果未知：Keyturn 内部出错。`,
  },
});

/** A call that failed. `why`: the beginning of its error, as markdown; empty if it says nothing. */
interface Failed extends Took {
  readonly why: string;
}

/** How long a call took. */
interface Took {
  readonly seconds: number;
}

function englishStrange({ value, tool, isSaidElsewhere }: Strange): string {
  const where = tool === undefined ? 'is' : `stands in an answer of ${tool}, and`;
  return `${value} ${where} not in ${isSaidElsewhere ? 'the message that asks for it' : 'what you wrote'}`;
}

function chineseStrange({ value, tool, isSaidElsewhere }: Strange): string {
  const where = tool === undefined ? '' : `出自 ${tool} 的返回内容，`;
  return `${value} ${where}不在${isSaidElsewhere ? '提出请求的那条消息' : '你写的内容'}里`;
}

/** A toast holds 200 characters. */
function cut(person: string): string {
  return person.length <= 150 ? person : `${person.slice(0, 149)}…`;
}
