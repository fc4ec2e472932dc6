import { durationWords } from '../../lib/time-words.ts';
import { catalogue } from '../../lib/words.ts';

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
    unknown: ({ id }: Own) =>
      `I am a private assistant and only talk to people my owner has let in. If that should be you: your id here is ${id}.`,
    unknownWithCode: ({ id, command, milliseconds }: Code) =>
      `I am a private assistant and only talk to people my owner has let in. If you know my owner, ask them: they let you in by writing ${command} to me.\n\nThat code is good for ${durationWords(milliseconds)}. Tell nobody else.\n\nI have not kept what you wrote: write it again once you are let in. Your id here is ${id}.`,
    welcome: '🔑 You are let in. Write to me whenever you like; `/help` shows what I know.',
    noCommand: 'You may talk to me here, but `/help` and `/status` are the only commands for you.',
    turnedAway: ({ id }: Own) => `You may not talk to me here. An owner can let you in: your id is ${id}.`,
    unknownGroup: ({ entry, key }: { readonly entry: string; readonly key: string }) =>
      `This group is not in my config, so I say nothing here. To let me in, add ${entry} to ${key}.`,
    programsUnheard:
      '🔇 I do not read what bots write here any more: they have written several messages in a row, and no person did. As soon as a person writes to me here, I read them again.',
  },
  zh: {
    unknown: ({ id }) => `我是私人助手，只和所有者准许的人说话。如果你应在其中：你在这里的 id 是 ${id}。`,
    unknownWithCode: ({ id, command, milliseconds }) =>
      `我是私人助手，只和所有者准许的人说话。如果你认识我的所有者，就告诉对方：给我发送 ${command} 就能让你加入。\n\n这个配对码 ${durationWords(milliseconds, 'zh')}内有效，不要告诉别人。\n\n你写的内容没有保留，加入后再写一次。你在这里的 id 是 ${id}。`,
    welcome: '🔑 你已加入，随时可以给我发消息。发送 `/help` 查看我会什么。',
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
