//! Batches of DML with the official client for Rust. The first batch begins each transaction.

use google_cloud_spanner::Result;
use google_cloud_spanner::client::{DatabaseClient, Spanner};
use google_cloud_spanner::error::BatchUpdateError;

const REFUSED: &str = "UPDATE Nowhere SET Balance = 0 WHERE TRUE";

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).expect("the name of a database");
    let client = Spanner::builder().build().await?.database_client(name).build().await?;
    let counts = run(&client, &[
        "INSERT INTO Accounts (Id, Balance) VALUES (1, 10), (2, 20), (3, 30)",
        "UPDATE Accounts SET Balance = Balance + 1 WHERE Id < 3",
        "DELETE FROM Accounts WHERE Id = 3",
    ]);
    println!("rows: {:?}", counts.await?);
    for batch in [
        &["UPDATE Accounts SET Balance = 0 WHERE Id = 1", REFUSED][..],
        &[REFUSED, "UPDATE Accounts SET Balance = 0 WHERE TRUE"],
        &["SELECT Id FROM Accounts"],
        &[],
    ] {
        refuse(&client, batch).await?;
    }
    println!("balances: {:?}", balances(&client).await?);
    Ok(())
}

async fn run(client: &DatabaseClient, batch: &[&str]) -> Result<Vec<i64>> {
    let runner = client.read_write_transaction().build();
    let work = runner.run(async |transaction| transaction.execute_batch_update(batch.to_vec()).await);
    Ok(work.await?.result)
}

/// Run a batch that fails, then a statement of the same transaction, and commit both.
async fn refuse(client: &DatabaseClient, batch: &[&str]) -> Result<()> {
    let runner = client.read_write_transaction().build();
    let work = runner.run(async |transaction| {
        let error = transaction.execute_batch_update(batch.to_vec()).await.expect_err("refused");
        let counts = BatchUpdateError::extract(&error).map(|each| each.update_counts.clone());
        let code = error.status().map(|status| status.code);
        transaction.execute_update("UPDATE Accounts SET Balance = Balance + 1 WHERE Id = 1").await?;
        Ok((code, counts))
    });
    let (code, counts) = work.await?.result;
    println!("refused: {code:?}, after {counts:?}");
    Ok(())
}

async fn balances(client: &DatabaseClient) -> Result<Vec<i64>> {
    let query = "SELECT Balance FROM Accounts ORDER BY Id";
    let mut rows = client.single_use().build().execute_query(query).await?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().await.transpose()? {
        found.push(row.get("Balance")?);
    }
    Ok(found)
}
