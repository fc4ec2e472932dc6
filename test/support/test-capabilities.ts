import type { ChannelCapabilities } from '../../src/contract.ts';

/** What the platform in memory can do, where a test does not say otherwise. */
export const allCapabilities: ChannelCapabilities = {
  maxLength: 4000,
  forms: false,
  maxFileBytes: 0,
  editPause: { direct: 100, group: 300 },
  history: true,
  folds: true,
};
