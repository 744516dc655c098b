// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.it

import java.nio.file.{Files, Path => LocalPath}
import java.util.concurrent.atomic.AtomicInteger

import org.apache.hadoop.fs.{FileSystem, Path}

/** Where a suite's files live. Fixtures are written once, locally, and put into the store that a suite reads. */
trait Store {
  def name: String

  /** The URI of a new, empty place. */
  def fresh(label: String): String

  /** Copies a local file or directory to `target`, replacing what is there. */
  def put(source: LocalPath, target: String): Unit

  final def path(uri: String): Path = new Path(uri)

  final def fileSystem(uri: String): FileSystem = path(uri).getFileSystem(SparkHarness.spark.sparkContext.hadoopConfiguration)

  final def delete(uri: String): Unit = assert(fileSystem(uri).delete(path(uri), true), s"nothing at $uri")

  final def write(uri: String, bytes: Array[Byte]): Unit = {
    val out = fileSystem(uri).create(path(uri), true)
    try out.write(bytes)
    finally out.close()
  }

  final def read(uri: String): Array[Byte] = {
    val in = fileSystem(uri).open(path(uri))
    try in.readAllBytes()
    finally in.close()
  }

  /** The names of the data files under a directory, sorted; hidden ones are left out. */
  final def files(uri: String): Seq[String] = {
    val found = Seq.newBuilder[String]
    val all = fileSystem(uri).listFiles(path(uri), true)
    while (all.hasNext) {
      val file = all.next().getPath
      if (!file.getName.startsWith("_") && !file.getName.startsWith(".")) found += file.toString
    }
    found.result().sorted
  }

  final def length(uri: String): Long = fileSystem(uri).getFileStatus(path(uri)).getLen
}

object FileStore extends Store {
  private val counter = new AtomicInteger
  private lazy val root = Files.createDirectories(SparkHarness.scratch.resolve("file-store"))

  override val name = "file"

  override def fresh(label: String): String =
    new Path(root.resolve(s"$label-${counter.incrementAndGet()}").toUri).toString

  override def put(source: LocalPath, target: String): Unit = {
    val fs = fileSystem(target)
    fs.copyFromLocalFile(false, true, new Path(source.toUri), path(target))
  }
}

/** Objects in [[S3Server]], reached through S3A as a user's session would. */
final class S3aStore(bucket: String) extends Store {
  private val counter = new AtomicInteger

  override val name = "s3a"

  override def fresh(label: String): String = {
    S3aStore.connect()
    s"s3a://$bucket/$label-${counter.incrementAndGet()}"
  }

  override def put(source: LocalPath, target: String): Unit = {
    val fs = fileSystem(target)
    // Not copyFromLocalFile: S3A's own fails on names with a colon and uploads checksum files.
    val all = Files.walk(source)
    try
      all.filter(Files.isRegularFile(_)).filter(file => !file.getFileName.toString.endsWith(".crc")).forEach { file =>
        val relative = source.relativize(file).toString
        val to = if (relative.isEmpty) path(target) else new Path(path(target).toString + "/" + relative)
        val out = fs.create(to, true)
        try Files.copy(file, out)
        finally out.close()
        ()
      }
    finally all.close()
  }
}

object S3aStore {
  lazy val main = new S3aStore(S3Server.bucket)

  /** A bucket to which S3A opens at most two connections. */
  lazy val narrow = new S3aStore(S3Server.narrowBucket)

  /** Points the session at the server, once. */
  private lazy val connected: Unit = {
    val conf = SparkHarness.spark.sparkContext.hadoopConfiguration
    S3Server.hadoopConf.foreach { case (key, value) => conf.set(key, value) }
  }

  def connect(): Unit = connected
}
