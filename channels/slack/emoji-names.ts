import { ChannelError } from '../../src/contract.ts';
import { plainEmoji } from '../kit/marks.ts';
import { slackWords } from './words.ts';

/** The names that Slack has for common emoji. */
const list = `
👍 thumbsup · 👎 thumbsdown · ❤ heart · 🧡 orange_heart · 💛 yellow_heart · 💚 green_heart · 💙 blue_heart
💜 purple_heart · 🖤 black_heart · 💔 broken_heart · 🔥 fire · 🥰 smiling_face_with_3_hearts · 😍 heart_eyes
😘 kissing_heart · 👏 clap · 🙌 raised_hands · 🙏 pray · 💪 muscle · 👋 wave · 👌 ok_hand · 🤝 handshake · ✌ v
🤞 crossed_fingers · 👀 eyes · ✅ white_check_mark · ☑ ballot_box_with_check · ✔ heavy_check_mark · ❌ x
❗ exclamation · ❓ question · ⚠ warning · 🚫 no_entry_sign · ⏳ hourglass_flowing_sand · ⌛ hourglass · 😀 grinning
😃 smiley · 😄 smile · 😁 grin · 😆 laughing · 😅 sweat_smile · 😂 joy · 🤣 rolling_on_the_floor_laughing
🙂 slightly_smiling_face · 😊 blush · 😇 innocent · 😉 wink · 😎 sunglasses · 🤓 nerd_face · 🤔 thinking_face
🤨 face_with_raised_eyebrow · 😐 neutral_face · 🙄 face_with_rolling_eyes · 😮 open_mouth · 😲 astonished
😱 scream · 🤯 exploding_head · 😢 cry · 😭 sob · 😔 pensive · 🙁 slightly_frowning_face · 😡 rage · 😠 angry
😴 sleeping · 🥱 yawning_face · 🤗 hugging_face · 🤩 star-struck · 🥳 partying_face · 🫡 saluting_face · 🤷 shrug
🎉 tada · 🎊 confetti_ball · 🎂 birthday · 🎁 gift · 🏆 trophy · 🥇 first_place_medal · ⭐ star · 🌟 star2
✨ sparkles · 💯 100 · 🎯 dart · 🚀 rocket · ⚡ zap · 💡 bulb · 📌 pushpin · 📝 memo · 🐛 bug · 🔧 wrench
📈 chart_with_upwards_trend · 📅 date · ☕ coffee · 🍻 beers · 🍾 champagne · 🍰 cake · 🦄 unicorn_face · 🐳 whale
👻 ghost · 🤖 robot_face · ☀ sunny · 🌙 crescent_moon
`;

const names: ReadonlyMap<string, string> = new Map(
  list
    .trim()
    .split(/\n| · /)
    .map((entry) => [entry.split(' ')[0] ?? '', entry.split(' ')[1] ?? ''] as const),
);

/** Slack's name for an emoji; a name may be given, too, as `:tada:`. Throws a `ChannelError` if it is neither. */
export function emojiNameOf(emoji: string): string {
  const known = names.get(plainEmoji(emoji));
  if (known !== undefined) return known;
  const name = /^:?([a-z0-9_+'-]{1,100}):?$/.exec(emoji.trim().toLowerCase())?.[1];
  if (name !== undefined) return name;
  throw noSuchReaction();
}

export function noSuchReaction(): ChannelError {
  return new ChannelError({ type: 'permanent' }, (language) => slackWords[language].noSuchReaction);
}
