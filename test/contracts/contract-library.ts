/** What the author of a channel needs to test it: `keyturn/channel-contract`. It runs under vitest. */
export { channelContract } from './channel-contract.ts';
export type { ChannelSetting, Open } from './channel-setting.ts';
export * from './platform.ts';
