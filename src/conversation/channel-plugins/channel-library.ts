/**
 * The API for authors of channels, `@keyturn/sdk/channel`: channels in the config import it by that name, from
 * anywhere.
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
  conversationId,
  defineChannel,
  type InboundAction,
  type InboundAttachment,
  type InboundDeletion,
  type InboundEdit,
  type InboundEvent,
  type InboundMembership,
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

export type ChannelFaultType = ChannelFault['type'];
