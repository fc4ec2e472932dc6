import { timeElement } from '../../lib/folds.ts';
import { inlineCode } from '../../lib/plain-text.ts';
import { clockTime, dayWords, durationWords, type Reader } from '../../lib/time-words.ts';
import { catalogue } from '../../lib/words.ts';
import type { GroupAnswer } from './group-choices.ts';

/** An id on the platform, as code. */
interface Own {
  readonly id: string;
}

/** `command`: the command that lets them in, as code. `milliseconds`: how long its code is good. */
interface Code extends Own {
  readonly command: string;
  readonly milliseconds: number;
}

/** What strangers read, and groups where nobody is heard. */
export const strangerWords = catalogue({
  en: {
    /** `command`: how the claim is written there, without the code. */
    unclaimed: ({ command }: { readonly command: string }) =>
      `I have no owner yet. If you run me, send me the code that stands in my log: ${inlineCode(`${command} CODE`)}`,
    unknown: ({ id }: Own) => `I only talk to people I know. If my owner should know you: your id here is ${id}.`,
    unknownWithCode: ({ id, command, milliseconds }: Code) =>
      `I only talk to people I know. If you know my owner, send them this: ${command}. Written to me, it lets you in. It is good for ${durationWords(milliseconds)}.\n\nI have not kept what you wrote. Your id here is ${id}.`,
    /** Their owner has got a card. */
    ownerAsked: 'I only talk to people I know. I have asked my owner. I have not kept what you wrote.',
    welcome:
      "🔑 You're in. Ask me anything; I check with my owner before I do something dangerous. `/help` shows what I can do.",
    noCommand: 'You may talk to me here, but `/help` and `/status` are the only commands for you.',
    turnedAway: ({ id }: Own) => `You may not talk to me here. An owner can let you in: your id is ${id}.`,
    unknownGroup: ({ entry, key }: { readonly entry: string; readonly key: string }) =>
      `This group is not in my config, so I say nothing here. To let me in, add ${entry} to ${key}.`,
    programsUnheard:
      '🔇 I do not read what bots write here any more: they have written several messages in a row, and no person did. As soon as a person writes to me here, I read them again.',
  },
  zh: {
    unclaimed: ({ command }) =>
      `我还没有所有者。如果是你在运行我，把我日志里的认领码发给我：${inlineCode(`${command} 认领码`)}`,
    unknown: ({ id }) => `我只和认识的人说话。如果我的所有者应该认识你：你在这里的 id 是 ${id}。`,
    unknownWithCode: ({ id, command, milliseconds }) =>
      `我只和认识的人说话。如果你认识我的所有者，把 ${command} 告诉对方：发给我就能让你加入。${durationWords(milliseconds, 'zh')}内有效。\n\n你写的内容没有保留。你在这里的 id 是 ${id}。`,
    ownerAsked: '我只和认识的人说话。已询问我的所有者。你写的内容没有保留。',
    welcome: '🔑 你已加入，有事直接问我。做危险的事之前，我会先问我的所有者。`/help` 会列出我能做什么。',
    noCommand: '你可以在这里和我说话，但命令只能用 `/help` 和 `/status`。',
    turnedAway: ({ id }) => `你不能在这里和我说话。所有者可以让你加入：你的 id 是 ${id}。`,
    unknownGroup: ({ entry, key }) => `这个群不在我的配置里，所以我在这里不说话。要让我加入，把 ${entry} 加到 ${key}。`,
    programsUnheard:
      '🔇 我不再读机器人在这里写的消息：它们连续写了好几条，中间没有人说话。有人在这里给我发消息后，我会继续读。',
  },
});

/** For owners: a group of the config that the platform gave another id. All values as markdown. */
interface MovedGroup {
  readonly title: string | undefined;
  readonly id: string;
  readonly outdated: string;
  /** Where the config names it. */
  readonly key: string;
}

/** What owners are told when a chat gets another id. */
export const chatMoveWords = catalogue({
  en: {
    moved: ({ title, id, outdated, key }: MovedGroup) =>
      `${title === undefined ? 'A group' : `The group ${title}`} has another id now: ${id}. I go on there as before. When you edit my config, write that id in place of ${outdated} in ${key}.`,
  },
  zh: {
    moved: ({ title, id, outdated, key }) =>
      `${title === undefined ? '有个群' : `群“${title}”`}的 id 变成了 ${id}，我在那里照常工作。你编辑我的配置时，把 ${key} 中的 ${outdated} 改成这个 id。`,
  },
});

/** A stranger who wants to talk, as markdown: the name that they chose, and their id on the platform. */
interface Asking {
  readonly name: string;
  readonly id: string;
}

/** A request to an owner. `until`: when it ends. */
interface AskingCard extends Asking {
  readonly until: number;
  readonly reader: Reader;
  /** Let in, they work in the owner's folder. */
  readonly sharesFiles: boolean;
}

/** `by`: the owner who decided, as markdown. */
interface Decided {
  readonly by: string;
  readonly at: number;
}

/** What owners read about people who ask to be let in. */
export const requestWords = catalogue({
  en: {
    wantsToTalk: ({ name, id, until, reader, sharesFiles }: AskingCard) =>
      [
        `👋 **${name} wants to talk to me** (${id}).`,
        sharesFiles
          ? 'Let in, they can use me as a friend, and read the files that I work with. What is dangerous still asks you.'
          : 'Let in, they can use me as a friend. What is dangerous still asks you.',
        `*Open until ${timeElement(until, `${dayWords(until, reader)}, ${clockTime(until, reader)}`)}.*`,
      ].join('\n'),
    buttonLetIn: 'Let in',
    buttonNo: 'No',
    letIn: ({ name, id, by, at }: Asking & Decided) =>
      `✅ ${by} let ${name} in at ${timeFor(at)}. ${inlineCode(`/unpair ${id}`)} undoes it.`,
    refused: ({ name, id, by, at, days }: Asking & Decided & { readonly days: number }) =>
      `🚫 ${by} did not let ${name} in at ${timeFor(at)}. I ask no more for ${days} days; ${inlineCode(`/pair ${id}`)} lets them in.`,
    personExpired: ({ name }: Pick<Asking, 'name'>) =>
      `⌛ ${name} wanted to talk to me. Nobody decided in time; they can write again.`,
    personOver: ({ name }: Pick<Asking, 'name'>) => `👋 ${name} no longer waits to be let in.`,
    toastOver: 'This request is over.',
    toastOnlyOwners: 'Only an owner can decide this.',
  },
  zh: {
    wantsToTalk: ({ name, id, until, reader, sharesFiles }) =>
      [
        `👋 **${name} 想和我对话**（${id}）。`,
        sharesFiles
          ? '允许后，对方可以像朋友一样使用我，也能读到我使用的文件。危险的事仍会先问你。'
          : '允许后，对方可以像朋友一样使用我。危险的事仍会先问你。',
        `*${timeElement(until, `${dayWords(until, reader)} ${clockTime(until, reader)}`)} 过期。*`,
      ].join('\n'),
    buttonLetIn: '允许',
    buttonNo: '不允许',
    letIn: ({ name, id, by, at }) =>
      `✅ ${by} 于 ${timeFor(at)} 允许 ${name} 加入。${inlineCode(`/unpair ${id}`)} 可撤销。`,
    refused: ({ name, id, by, at, days }) =>
      `🚫 ${by} 于 ${timeFor(at)} 没有允许 ${name} 加入。${days} 天内不再询问；${inlineCode(`/pair ${id}`)} 可允许。`,
    personExpired: ({ name }) => `⌛ ${name} 想和我对话，没有人决定，请求已过期。对方可以再写一次。`,
    personOver: ({ name }) => `👋 ${name} 不再等待加入。`,
    toastOver: '这个请求已经结束。',
    toastOnlyOwners: '只有所有者可以决定。',
  },
});

/** A group, by its name as code, on a channel. */
interface Group {
  readonly title: string;
  readonly channel: string;
}

/** `by`: who added the bot, as markdown, if that is known. */
interface GroupCard extends Group {
  readonly by: string | undefined;
}

interface ChosenGroup extends Group, Decided {
  readonly choice: GroupAnswer;
}

/** What owners read about groups that somebody has added the bot to. */
export const groupWords = catalogue({
  en: {
    added: ({ title, channel, by }: GroupCard) =>
      [
        `👥 **${by === undefined ? 'I was' : `${by} has`} added ${by === undefined ? '' : 'me '}to the group ${title}** (${channel}).`,
        'What shall I answer there? Only you and the people whom you let in are heard; `/people` changes that.',
        ...(channel === 'telegram'
          ? ['For everything, privacy mode has to be off at @BotFather, or I an admin there.']
          : []),
      ].join('\n'),
    addressed: ({ title, channel }: Group) =>
      [
        `👥 **You spoke to me in the group ${title}** (${channel}), where I say nothing yet.`,
        'What shall I answer there? Only you and the people whom you let in are heard; `/people` changes that.',
      ].join('\n'),
    buttonMentioned: 'Only when mentioned',
    buttonEverything: 'Everything',
    buttonLeave: 'Leave',
    chosen: ({ title, channel, choice, by, at }: ChosenGroup) =>
      `${choice === 'leave' ? '🚫' : '✅'} ${by} at ${timeFor(at)}: in the group ${title} (${channel}) I ${enChoices[choice]}. \`/people\` changes that.`,
    askedAgain: ({ title }: Group) => `👥 The group ${title}: I have asked again.`,
    takenOut: ({ title, channel }: Group) => `👥 I was taken out of the group ${title} (${channel}).`,
    /** In the group, to an owner. */
    askedYou: 'I have asked you in our own chat what I shall do here.',
  },
  zh: {
    added: ({ title, channel, by }) =>
      [
        `👥 **${by === undefined ? `我被拉进了群 ${title}` : `${by} 把我拉进了群 ${title}`}**（${channel}）。`,
        '我在那里回答什么？我只听你和你允许的人的话；`/people` 可更改。',
        ...(channel === 'telegram' ? ['要回答所有消息，先在 @BotFather 关闭隐私模式，或让我当管理员。'] : []),
      ].join('\n'),
    addressed: ({ title, channel }) =>
      [
        `👥 **你在群 ${title}（${channel}）里叫了我**，我在那里还不说话。`,
        '我在那里回答什么？我只听你和你允许的人的话；`/people` 可更改。',
      ].join('\n'),
    buttonMentioned: '只在被提到时',
    buttonEverything: '所有消息',
    buttonLeave: '退群',
    chosen: ({ title, channel, choice, by, at }) =>
      `${choice === 'leave' ? '🚫' : '✅'} ${by} 于 ${timeFor(at)} 决定：在群 ${title}（${channel}）里，我${zhChoices[choice]}。\`/people\` 可更改。`,
    askedAgain: ({ title }) => `👥 群 ${title}：已重新询问。`,
    takenOut: ({ title, channel }) => `👥 我被移出了群 ${title}（${channel}）。`,
    askedYou: '我在这里该做什么，已在私聊里问你。',
  },
});

const enChoices: Readonly<Record<GroupAnswer, string>> = {
  mentioned: 'answer when mentioned',
  everything: 'answer everything',
  leave: 'say nothing',
};

const zhChoices: Readonly<Record<GroupAnswer, string>> = {
  mentioned: '只在被提到时回答',
  everything: '回答所有消息',
  leave: '不说话',
};

/** Cards of several readers have one text for each language. */
function timeFor(at: number): string {
  return timeElement(at, clockTime(at, { timeZone: 'UTC', isNamed: true }));
}
