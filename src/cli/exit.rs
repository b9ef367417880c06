use std::process::ExitCode;

/// Every way in which the program can end, and its number (cli.md sections 3 and 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// What was asked for was done.
    Fine,
    /// The configuration or a script is at fault, or a test failed.
    Failure,
    /// The command line or the machine is at fault: nothing was tried.
    Usage,
    /// We are at fault.
    Bug,
    /// The time limit of the whole test run passed.
    TimedOut,
    /// Ended by SIGINT without a result of its own.
    Interrupted,
    /// The result of the process that `--exec` ran.
    Code(u8),
}

impl Exit {
    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Failure => 1,
            Self::Usage => 2,
            Self::Bug => 101,
            Self::TimedOut => 124,
            Self::Interrupted => 130,
            Self::Code(code) => code,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_documented_ones() {
        let all =
            [Exit::Fine, Exit::Failure, Exit::Usage, Exit::Bug, Exit::TimedOut, Exit::Interrupted];
        assert_eq!(all.map(Exit::code), [0, 1, 2, 101, 124, 130]);
        assert_eq!(Exit::Code(7).code(), 7);
    }
}
