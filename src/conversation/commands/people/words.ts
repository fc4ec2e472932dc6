import { catalogue } from '../../../lib/words.ts';
import { labelOf } from '../../../words/command-buttons.ts';
import type { GroupAnswer } from '../../access/group-choices.ts';

/** The answers of `/pair`, `/people` and `/unpair`. People are given in markdown. */
export const peopleWords = catalogue({
  en: {
    whichCode:
      'Say which: `/pair CODE` (ask them for the code), or `/pair ID`. `/people` shows who waits. For a device of your own, write `/device`.',
    wrongCode: 'Nobody waits with that code or id. `/people` shows who does.',
    letIn: ({ person, undo, sharesFiles }: LetIn) =>
      `🔑 Let in: ${person}. ${undo} undoes it.${sharesFiles ? ' They work in the same folder as you, and can read what is in it. To give people separate folders, put `{sender}` into `workspace` in my config.' : ''}`,
    whoToUnpair: 'Say who: `/unpair ID`. `/people` shows the ids.',
    notPaired: 'Nobody with that id was let in. `/people` shows who was.',
    whoToRefuse: 'Say whom: `/people refuse ID`. `/people` shows who asks.',
    nobodyAsks: 'Nobody with that id asks to talk to me. `/people` shows who does.',
    refusedNow: ({ person, until }: { readonly person: string; readonly until: string }) =>
      `Refused: ${person}. I ask no more until ${until}.`,
    inConfig: 'The config lets them talk: remove them there.',
    several: ({ people }: { readonly people: readonly string[] }) =>
      `That could be ${people.join(' or ')}. Say it with the channel.`,
    unpaired: ({ person, isNamed, isLinkedIn }: Unpaired) =>
      [
        `No longer let in: ${person}.`,
        ...(isNamed ? ['They may still talk, since the config lets them.'] : []),
        ...(isLinkedIn
          ? ['They may still talk, since a linked account of theirs may: `/links` shows it, `/unlink ID` ends that.']
          : []),
      ].join(' '),
    letInList: ({ people }: { readonly people: readonly string[] }) =>
      people.length === 0
        ? 'Only you and the people in the config may talk to me.'
        : ['Let in, beside the people in the config:', ...people, '', '`/unpair ID` ends it.'].join('\n'),
    personLine: ({ person, by, since }: PersonLine) => `- ${person}, by ${by} since ${since}`,
    holderList: ({ holders }: { readonly holders: readonly string[] }) =>
      holders.length === 0
        ? 'Nobody is waiting.'
        : ['Waiting to be let in:', ...holders, '', '`/pair ID` lets them in.'].join('\n'),
    holderLine: ({ person, rest }: { readonly person: string; readonly rest: string }) =>
      `- ${person}, for another ${rest}`,
    refusedList: ({ refused }: { readonly refused: readonly string[] }) => ['Not let in:', ...refused].join('\n'),
    refusedLine: ({ person, until }: { readonly person: string; readonly until: string }) =>
      `- ${person}; I ask no more until ${until}`,
    removeThem: ({ person }: { readonly person: string }) => `Shall ${person} no longer talk to me?`,
    buttonLetIn: ({ name }: { readonly name: string }) => labelOf(`Let in ${name}`),
    buttonRemove: ({ name }: { readonly name: string }) => labelOf(`Remove ${name}`),
    buttonKeep: 'Keep',
    groupList: ({ lines }: { readonly lines: readonly string[] }) =>
      ['Groups that were chosen here, not in the config:', ...lines].join('\n'),
    groupLine: ({ number, title, channel, choice, isOpen, chosen }: GroupLine) =>
      `${number}. ${title} (${channel}): I ${enChoices[choice]}; ${isOpen ? 'everybody there is heard' : 'owners and people let in are heard'}${chosen === undefined ? '' : `; chosen by ${chosen.by} on ${chosen.since}`}`,
    whichGroup: 'There is no such group. `/people` lists them.',
    groupChosen: 'Done.',
    buttonMentioned: ({ number }: Place) => `${number} When mentioned`,
    buttonEverything: ({ number }: Place) => `${number} Everything`,
    buttonKnown: ({ number }: Place) => `${number} Known people`,
    buttonAll: ({ number }: Place) => `${number} Hear everybody`,
    buttonLeave: ({ number }: Place) => `${number} Leave`,
  },
  zh: {
    whichCode:
      '允许谁？发送 `/pair 配对码`（向对方要）或 `/pair ID`。`/people` 会列出谁在等待。要添加自己的设备，发送 `/device`。',
    wrongCode: '没有人凭这个配对码或 ID 等待加入。`/people` 会列出谁在等待。',
    letIn: ({ person, undo, sharesFiles }) =>
      `🔑 已允许 ${person} 和我对话。${undo} 可撤销。${sharesFiles ? '对方和你使用同一个文件夹，能读到里面的内容。要让每个人使用单独的文件夹，在配置的 `workspace` 中加入 `{sender}`。' : ''}`,
    whoToUnpair: '不再允许谁？发送 `/unpair ID`。`/people` 会列出各人的 ID。',
    notPaired: '已加入的人中没有这个 ID。`/people` 会列出他们。',
    whoToRefuse: '要拒绝谁？发送 `/people refuse ID`。`/people` 会列出提出请求的人。',
    nobodyAsks: '没有这个 ID 的人在请求与我对话。`/people` 会列出他们。',
    refusedNow: ({ person, until }) => `已拒绝：${person}。${until}之前不再询问。`,
    inConfig: '对方是由配置允许的，要在配置中移除。',
    several: ({ people }) => `可能是 ${people.join(' 或 ')}。要连同渠道一起写明。`,
    unpaired: ({ person, isNamed, isLinkedIn }) =>
      [
        `不再允许 ${person} 和我对话。`,
        isNamed ? '对方仍可以对话，因为配置允许。' : '',
        isLinkedIn
          ? '对方关联的另一个账号可以对话，所以这个账号仍可以：`/links` 可查看，`/unlink ID` 可解除关联。'
          : '',
      ].join(''),
    letInList: ({ people }) =>
      people.length === 0
        ? '只有你和配置中列出的人可以和我对话。'
        : ['除配置中列出的人外，已加入：', ...people, '', '`/unpair ID` 可撤销。'].join('\n'),
    personLine: ({ person, by, since }) => `- ${person}，由 ${by} 于 ${since}允许`,
    holderList: ({ holders }) =>
      holders.length === 0
        ? '没有人在等待。'
        : ['等待加入的人：', ...holders, '', '`/pair ID` 可允许其中一人。'].join('\n'),
    holderLine: ({ person, rest }) => `- ${person}，还有 ${rest}有效`,
    refusedList: ({ refused }) => ['没有允许加入的人：', ...refused].join('\n'),
    refusedLine: ({ person, until }) => `- ${person}；${until}之前不再询问`,
    removeThem: ({ person }) => `不再允许 ${person} 和我对话？`,
    buttonLetIn: ({ name }) => labelOf(`允许 ${name}`),
    buttonRemove: ({ name }) => labelOf(`移除 ${name}`),
    buttonKeep: '保留',
    groupList: ({ lines }) => ['在聊天里决定的群（不在配置中）：', ...lines].join('\n'),
    groupLine: ({ number, title, channel, choice, isOpen, chosen }) =>
      `${number}. ${title}（${channel}）：我${zhChoices[choice]}；${isOpen ? '听那里所有人的话' : '只听所有者和已加入的人的话'}${chosen === undefined ? '' : `；由 ${chosen.by} 于 ${chosen.since}决定`}`,
    whichGroup: '没有这个群。`/people` 会列出它们。',
    groupChosen: '已更改。',
    buttonMentioned: ({ number }) => `${number} 被提到时`,
    buttonEverything: ({ number }) => `${number} 所有消息`,
    buttonKnown: ({ number }) => `${number} 只听认识的人`,
    buttonAll: ({ number }) => `${number} 听所有人`,
    buttonLeave: ({ number }) => `${number} 退群`,
  },
});

interface LetIn {
  readonly person: string;
  /** The command that undoes it. */
  readonly undo: string;
  /** They work in the same folder as the owner. */
  readonly sharesFiles: boolean;
}

interface Unpaired {
  readonly person: string;
  /** The config names them. */
  readonly isNamed: boolean;
  /** An account linked with theirs may talk. */
  readonly isLinkedIn: boolean;
}

interface PersonLine {
  readonly person: string;
  readonly by: string;
  readonly since: string;
}

/** The number of a group in the list. */
interface Place {
  readonly number: number;
}

/** A group as markdown. `chosen`: by whom, and when; undefined while nobody has. */
interface GroupLine extends Place {
  readonly title: string;
  readonly channel: string;
  readonly choice: GroupAnswer;
  readonly isOpen: boolean;
  readonly chosen: { readonly by: string; readonly since: string } | undefined;
}

const enChoices: Readonly<Record<GroupAnswer, string>> = {
  mentioned: 'answer when mentioned',
  everything: 'answer everything',
  leave: 'say nothing',
};

const zhChoices: Readonly<Record<GroupAnswer, string>> = {
  mentioned: '被提到时回答',
  everything: '回答所有消息',
  leave: '不说话',
};
