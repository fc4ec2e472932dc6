import type { Log } from '../lib/log.ts';
import type {
  ApprovalDecided,
  ApprovalRequested,
  CallEnded,
  MessageDelivered,
  ModelAsked,
  RunEnded,
  TelemetryEvent,
} from '../telemetry.ts';

/** Writes what happened as a line of the log, with ids, names of tools and figures. `ms`: how long it took, or waited. */
export function logEvent(event: TelemetryEvent, log: Log): void {
  const { level, fields, words } = lineOf(event);
  log[level](fields, words);
}

interface Line {
  readonly level: 'debug' | 'info';
  readonly fields: object;
  readonly words: string;
}

/** At `info` stands what ended, was decided or went out: one line each. */
function lineOf(event: TelemetryEvent): Line {
  switch (event.type) {
    case 'message_received': {
      const { messageId: message, conversationId: conversation, channel, kind } = event;
      return { level: 'debug', fields: { message, conversation, channel, kind }, words: 'message received' };
    }
    case 'run_began': {
      const { runId: run, conversationId: conversation, principal, parentCallId: parentCall, waited: ms } = event;
      return { level: 'debug', fields: { run, conversation, principal, parentCall, ms }, words: 'run began' };
    }
    case 'run_ended':
      return { level: 'info', fields: fieldsOfRun(event), words: 'run ended' };
    case 'model_asked':
      return { level: 'debug', fields: fieldsOfRequest(event), words: 'model asked' };
    case 'call_ended':
      return { level: 'info', fields: fieldsOfCall(event), words: 'call ended' };
    case 'approval_requested': {
      const { isDangerous } = event;
      return { level: 'info', fields: { ...fieldsOfApproval(event), isDangerous }, words: 'approval requested' };
    }
    case 'approval_decided': {
      const { decision, by, waited: ms } = event;
      return { level: 'info', fields: { ...fieldsOfApproval(event), decision, by, ms }, words: 'approval decided' };
    }
    case 'rights_changed': {
      const { change, subject, by } = event;
      return { level: 'info', fields: { change, subject, by }, words: 'rights changed' };
    }
    case 'message_delivered':
      return { level: 'info', fields: fieldsOfMessage(event), words: 'message delivered' };
  }
}

function fieldsOfRun({ runId: run, conversationId: conversation, outcome, duration: ms, ...counts }: RunEnded): object {
  const { modelCalls, calls } = counts;
  return { run, conversation, outcome, ms, modelCalls, calls };
}

function fieldsOfRequest({ runId: run, conversationId: conversation, duration: ms, ...event }: ModelAsked): object {
  const { model, provider, outcome, firstPart, inputTokens, outputTokens, cost } = event;
  return { run, conversation, model, provider, outcome, ms, firstPart, inputTokens, outputTokens, cost };
}

function fieldsOfCall({ callId: call, runId: run, conversationId: conversation, ...event }: CallEnded): object {
  const { tool, outcome, duration: ms, approvalId: approval } = event;
  return { call, tool: plainName(tool), run, conversation, outcome, ms, approval };
}

function fieldsOfApproval({ approvalId: approval, ...event }: ApprovalRequested | ApprovalDecided): object {
  const { kind, callId, tool, conversationId: conversation } = event;
  return { approval, kind, call: callId === '' ? undefined : callId, tool, conversation };
}

function fieldsOfMessage({ messageId: message, conversationId: conversation, ...event }: MessageDelivered): object {
  const { channel, kind, outcome, attempts, waited: ms } = event;
  return { message, conversation, channel, kind, outcome, attempts, ms };
}

/** A model may call a tool that does not exist, by any text. */
function plainName(tool: string): string {
  return /^[\w.-]{1,64}$/.test(tool) ? tool : 'unknown';
}
