/** What the author of a channel needs to test it: `@keyturn/sdk/channel-contract`. It runs under vitest. */
export type { ChannelSetting, Open } from './channel-setting.ts';
export type * from './platform.ts';
export { platformLimit } from './platform.ts';

const { channelContract } = await import('./channel-contract.ts').catch((cause: unknown) => {
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined;
  if (code !== 'ERR_MODULE_NOT_FOUND') throw cause;
  const missing = new Error(
    'The contract of channels runs under vitest: npm install --save-dev vitest fast-check, then npx vitest run.',
  );
  // Neither the stack nor the cause would say more.
  missing.stack = missing.message;
  throw missing;
});

export { channelContract };
