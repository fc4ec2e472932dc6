import { catalogue } from '../../../lib/words.ts';

/** What is wrong with webhooks in the config. */
export const webhookSettingWords = catalogue({
  en: {
    field: 'expected the name of a field, or names with dots between them, such as "repository.full_name"',
    secret: 'expected at least 16 characters: write it into .env, made with "openssl rand -hex 32"',
    name: 'expected small letters, digits, "_" and "-", beginning with a letter',
    noGateway: 'nothing listens for them: the gateway is off. Set gateway.enabled to true.',
    channelOff: ({ channel }: { readonly channel: string }) =>
      `the channel ${channel} is off. Turn it on, or choose another.`,
    noFields: ({ body }: { readonly body: string }) =>
      `has no effect: with body "${body}" there are no fields. Remove it, or set body to "json".`,
    notClosed: ({ open }: { readonly open: string }) => `"{${open}" is not closed. Write "{${open}}".`,
  },
  zh: {
    field: '应为字段名，或用点连接的多个名称，例如 "repository.full_name"',
    secret: '应为至少 16 个字符：写进 .env，用 "openssl rand -hex 32" 生成',
    name: '应为小写字母、数字、"_" 和 "-"，以字母开头',
    noGateway: '没有程序接收它们：网关已关闭。把 gateway.enabled 设为 true。',
    channelOff: ({ channel }) => `渠道 ${channel} 已关闭。开启它，或选另一个。`,
    noFields: ({ body }) => `不起作用：body 为 "${body}" 时没有字段。删掉它，或把 body 设为 "json"。`,
    notClosed: ({ open }) => `"{${open}" 没有闭合。写 "{${open}}"。`,
  },
});
