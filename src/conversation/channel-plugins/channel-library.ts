/**
 * What the author of a channel needs: `@keyturn/sdk/channel`. A channel that the config names imports it under that name,
 * wherever it lies.
 */
import type { ChannelFault } from '../../contract.ts';

export { z } from 'zod';
export {
  type BareDeletion,
  type Button,
  type Channel,
  type ChannelAdapter,
  type ChannelCapabilities,
  ChannelError,
  type ChannelFault,
  type ChannelHealth,
  type ChannelHost,
  type Conversation,
  commandMenu,
  conversationId,
  defineChannel,
  type InboundAction,
  type InboundAttachment,
  type InboundDeletion,
  type InboundEdit,
  type InboundEvent,
  type InboundMessage,
  type MessageKind,
  type MessageMark,
  type MessageRef,
  type OfferedCommand,
  type OutboundFile,
  type OutboundMessage,
  principalOf,
  type Quote,
  type Receipt,
  type ReplyStream,
  type RunFailure,
  type Sender,
  type SharedText,
  type ShownCall,
  type ShownResult,
  type ToolStatus,
} from '../../contract.ts';
export { type Clock, sleep } from '../../lib/clock.ts';
export type { JsonObject, JsonValue } from '../../lib/json.ts';
export type { Log } from '../../lib/log.ts';

/** What a `ChannelError` can be about, in a word. */
export type ChannelFaultType = ChannelFault['type'];
