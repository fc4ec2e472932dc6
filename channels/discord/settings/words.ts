import { catalogue } from '../../../src/lib/words.ts';

const id =
  'Only numeric ids are accepted here, in quotes: a name like @ada can change hands, an id cannot. To find one, switch on Settings → Advanced → Developer Mode in Discord, and choose "Copy User ID" or "Copy Role ID" in the menu of a person or a role: "123456789012345678", "role:123456789012345678".';
const chineseId =
  '这里只接受放在引号中的数字 id：@ada 这样的名称可能换主人，id 不会。要找到 id，在 Discord 中打开 Settings → Advanced → Developer Mode，在用户或角色的菜单中选 "Copy User ID" 或 "Copy Role ID"："123456789012345678"、"role:123456789012345678"。';

/** What is wrong with a value under `channels.discord`. */
export const discordSettingWords = catalogue({
  en: {
    id,
    commander: `"owner" or "*", or an id. ${id}`,
    group:
      'A server or a channel is named by its id, which Discord copies from its menu in Developer Mode: "123456789012345678". A server stands for all of its channels that are not named themselves.',
    apiUrl: 'Write the address of the API, such as "https://discord.com/api".',
    token:
      'This is not a bot token, which has three parts with dots between them. discord.com/developers/applications → your application → Bot → Reset Token shows a new one.',
  },
  zh: {
    id: chineseId,
    commander: `"owner"、"*" 或 id。${chineseId}`,
    group:
      '服务器或频道用 id 表示，在 Developer Mode 下可从它的菜单中复制："123456789012345678"。服务器代表其中没有单独列出的所有频道。',
    apiUrl: '写 API 的地址，例如 "https://discord.com/api"。',
    token:
      '这不是机器人令牌，令牌由点分隔的三部分组成。在 discord.com/developers/applications → 你的应用 → Bot → Reset Token 可以得到一个新的。',
  },
});
