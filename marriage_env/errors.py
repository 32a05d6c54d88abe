"""What can go wrong, by name. Each message says what was wrong and what is allowed."""


class MarriageError(Exception):
    """Any error the suite raises on purpose."""


class OptionError(MarriageError, ValueError):
    """A rule option, an environment option or a reset option that cannot be."""


class IllegalActionError(MarriageError, ValueError):
    """An action that is no action, or that the rules do not allow here."""


class ResetNeededError(MarriageError, RuntimeError):
    """The environment was used before `reset`, or after its match was over."""


class AgentError(MarriageError, ValueError):
    """An agent that is not known, or that cannot play what it was given."""


class AgentCrashError(AgentError):
    """An agent whose process cannot be started, has ended, or has raised an error."""


class AgentTimeoutError(AgentError):
    """An agent that has not answered in the time it is given."""


class AgentAnswerError(AgentError):
    """An agent whose process says what is no answer."""


class IllegalChoiceError(AgentError, IllegalActionError):
    """An agent that chose an action that its mask does not allow."""


class RecordError(MarriageError, ValueError):
    """A game record that cannot be read, or that cannot be."""


class RecordFileError(RecordError):
    """A file of records that is no file, or that the system does not give out."""


class RecordSizeError(RecordError):
    """A record, or something in it, that is larger than any game's."""


class RecordSyntaxError(RecordError):
    """A line that is no JSON object, or one whose text is no UTF-8."""


class RecordTruncatedError(RecordSyntaxError):
    """A last line that breaks off in the middle."""


class RecordVersionError(RecordError):
    """A record of a version that this library does not read, or no record at all."""


class RecordFieldError(RecordError):
    """A record in which a field is missing, unknown, or not what it can be."""


class RecordMismatchError(RecordError):
    """A record in which something is otherwise than the rules have it."""


class TableError(MarriageError, ValueError):
    """A table of the server that there is not, that is damaged, or for which there is no room."""


class MessageError(MarriageError, ValueError):
    """A message to a table that cannot be understood, or that does not fit how things stand there."""
