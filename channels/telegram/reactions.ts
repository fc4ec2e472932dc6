import type { ReactionTypeEmoji } from 'grammy/types';
import { ChannelError } from '../../src/contract.ts';
import { plainEmoji } from '../kit/marks.ts';
import { telegramWords } from './words.ts';

export type Reaction = ReactionTypeEmoji['emoji'];

/** All that bots may react with: core.telegram.org/bots/api#reactiontypeemoji */
const reactions: readonly Reaction[] = [
  ...(['👍', '👎', '❤', '🔥', '🥰', '👏', '😁', '🤔', '🤯', '😱', '🤬', '😢', '🎉', '🤩', '🤮', '💩', '🙏'] as const),
  ...(['👌', '🕊', '🤡', '🥱', '🥴', '😍', '🐳', '❤‍🔥', '🌚', '🌭', '💯', '🤣', '⚡', '🍌', '🏆', '💔', '🤨'] as const),
  ...([
    '😐',
    '🍓',
    '🍾',
    '💋',
    '🖕',
    '😈',
    '😴',
    '😭',
    '🤓',
    '👻',
    '👨‍💻',
    '👀',
    '🎃',
    '🙈',
    '😇',
    '😨',
    '🤝',
  ] as const),
  ...(['✍', '🤗', '🫡', '🎅', '🎄', '☃', '💅', '🤪', '🗿', '🆒', '💘', '🙉', '🦄', '😘', '💊', '🙊', '😎'] as const),
  ...(['👾', '🤷‍♂', '🤷', '🤷‍♀', '😡'] as const),
];

/** Others that mean about the same. */
const alike: Readonly<Partial<Record<Reaction, string>>> = {
  '👍': '✅ ☑ ✔ 🆗 👆 🫰 💪',
  '👎': '❌ ✖ ❎ 🚫 ⛔',
  '❤': '🧡 💛 💚 💙 💜 🤎 🖤 🤍 🩷 🩵 🩶 ♥ 💕 💖 💗 💓 💞 ❣ 🫶',
  '😁': '😀 😃 😄 🙂 😊 😆 😅 😉 ☺ 😺',
  '🤣': '😂 😹 😝 😜',
  '😢': '😔 😞 🙁 ☹ 😟 😥 😿 🥺 😕',
  '😭': '😩 😫',
  '😡': '😠 😤 👿',
  '🤯': '😮 😯 😲 🫢',
  '😱': '🙀 😳',
  '😨': '😰 😬 😧',
  '🤔': '🧐 💭 ❓ ❔',
  '🎉': '🥳 🎊 🎂 🎈 🎁 👑',
  '🤩': '⭐ 🌟 ✨ 💫',
  '🏆': '🥇 🏅 🎖',
  '👏': '🙌',
  '🙏': '🙇',
  '🤗': '👋 🤚 ✋ 🖐',
  '⚡': '🚀 💥 💡 💨',
  '👀': '👁 🔍 🔎 ⏳ ⌛',
  '✍': '📝 ✏ 🖊 🖋 🖍',
  '😴': '💤 😪',
  '🥱': '🌙',
  '🤷': '🫤',
  '😎': '🕶',
  '👨‍💻': '💻 🧑‍💻 👩‍💻 ⌨',
  '🍾': '🥂 🍻 🍷',
  '☃': '⛄ ❄',
  '🤨': '🙄 😒',
  '😐': '😑 😶',
  '💔': '❤‍🩹',
  '🤝': '🫱',
  '💯': '🎯',
};

const nearest: ReadonlyMap<string, Reaction> = new Map(
  reactions.flatMap((reaction) =>
    [reaction, ...(alike[reaction] ?? '').split(' ')].map((emoji) => [emoji, reaction] as const),
  ),
);

/** Throws a `ChannelError` that names all, if none of them means the same. */
export function nearestReaction(emoji: string): Reaction {
  const found = nearest.get(plainEmoji(emoji));
  if (found !== undefined) return found;
  throw new ChannelError({ type: 'permanent' }, (language) =>
    telegramWords[language].takesOnly({ reactions: reactions.join(' ') }),
  );
}
