use super::runtime::Batches;
use super::serial::Place;
use super::{Deliver, Delivery, Message, Undelivered, Worker};
use crate::id::Serial;

impl Deliver for Worker {
    fn deliver(&self, to: Serial, message: Message) -> Result<(), Undelivered> {
        if Place::from(to).worker != self.index() {
            return self.runtime().deliver(to, message);
        }
        self.runtime().reserve(to, &message)?;
        self.accept(to, message);
        Ok(())
    }

    fn deliver_many(
        &self,
        to: &mut dyn Iterator<Item = (Serial, u32)>,
        message: &Message,
    ) -> Delivery {
        let mut others = Batches::new(self.runtime());
        let mut result = Delivery::default();
        for (serial, times) in to {
            if Place::from(serial).worker != self.index() {
                others.add(serial, times, message);
                continue;
            }
            for _ in 0..times {
                result.count(self.deliver(serial, message.clone()));
            }
        }
        let other = others.send(message);
        result.delivered += other.delivered;
        result.full += other.full;
        result.gone += other.gone;
        result
    }
}
